/** What an operator can ask. A command works on the open store, in the server or, if none runs, on its own. */
import { z } from 'zod'
import { limits } from '@rollkey/contract'
import { operatorOf } from '../base/actor.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import { organizationSlug } from '../identity/rules.ts'
import { schemaVersion } from '../storage/migrate.ts'
import { countAll, everyOrganization } from '../storage/organizations.ts'
import { usageBetween, usageByCaller } from '../storage/usage.ts'
import { auditExport, auditKey, auditVerify } from './audit.ts'
import { backup } from './backup.ts'
import { billing, billingCustomer, billingRetry, billingSettle } from './billing.ts'
import { CommandRefused, monthAsked, orgIdOf, type AdminCommand, type Installation } from './command.ts'
import { exportAll } from './export.ts'
import { importAll } from './import.ts'
import { dataKeyRotate, keyRotate, keyStatus } from './keys.ts'
import { sessionList, sessionRevoke } from './sessions.ts'
import { tokenCreate, tokenList, tokenRevoke } from './tokens.ts'

const status: AdminCommand = {
  about: 'whether a server runs, the schema, and how much is stored',
  takes: [],
  run: async ({ sql, serving }) => ({ serving, schema: await schemaVersion(sql), ...(await countAll(sql)) }),
}

const organizations: AdminCommand = {
  about: 'ids and slugs of the organizations',
  takes: [],
  run: async ({ sql }) => ({ organizations: await everyOrganization(sql) }),
}

const usage: AdminCommand = {
  about: 'evaluations per organization, project, stage and day of a month (default: this one)',
  takes: ['[YYYY-MM]'],
  run: async (installation, [asked]) => {
    const month = monthAsked(installation, asked)
    await installation.journal?.fold()
    const rows = await usageBetween(installation.sql, `${month}-01`, `${month}-31`)
    return { month, usage: rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }
  },
}

const usageCallers: AdminCommand = {
  about: 'who evaluated how often, by stage, in a month (default: this one)',
  takes: ['ORGANIZATION', '[YYYY-MM]'],
  run: async (installation, [organization = '', asked]) => {
    const month = monthAsked(installation, asked)
    await installation.journal?.fold()
    const orgId = await orgIdOf(installation.sql, organization)
    const days = { from: `${month}-01`, to: `${month}-31` }
    return { month, callers: await usageByCaller(installation.sql, orgId, days, limits.usageCallers) }
  },
}

function keyOf(row: { organization: string; project: string | null; stage: string | null; day: string }): string {
  return JSON.stringify([row.organization, row.day, row.project, row.stage])
}

function embedded({ identity }: Installation): EmbeddedProvider {
  if (identity) return identity
  throw new CommandRefused('Accounts are kept by the OpenID provider of ROLLKEY_IDP_ISSUER, not here.')
}

const email = z.email()
const address = (text: string | undefined): string => {
  const parsed = email.safeParse(text)
  if (!parsed.success) throw new CommandRefused('EMAIL must look like ada@example.com.')
  return parsed.data
}

const setup: AdminCommand = {
  about: 'create a user and an organization, as far as they are missing, and print a token pair',
  takes: ['EMAIL', 'ORGANIZATION'],
  startsStore: true,
  run: async (installation, [user, slug = '']) => {
    const identity = embedded(installation)
    if (!organizationSlug.test(slug)) {
      throw new CommandRefused('ORGANIZATION must be 1 to 63 lower-case letters, digits and dashes.')
    }
    const { account, idpOrgId, passwordLink } = await identity.createOwner(address(user), slug)
    const orgId = await installation.organizations.idOf(idpOrgId, slug, operatorOf)
    const pair = await installation.sessions.open({ orgId, userId: account.id, clientName: 'rollkey-server setup' })
    return { email: account.email, idpUserId: account.id, orgId, orgSlug: slug, passwordLink, ...pair }
  },
}

const setupLink: AdminCommand = {
  about: 'a new one-time link that creates the first account and organization',
  takes: [],
  run: async (installation) => {
    const link = await embedded(installation).setupLink({ renew: true })
    if (link === undefined) throw new CommandRefused('There is an account already: sign in, or use reset-link.')
    return { setupLink: link }
  },
}

const resetLink: AdminCommand = {
  about: 'a one-time link that sets a new password',
  takes: ['EMAIL'],
  run: async (installation, [user]) => {
    const link = await embedded(installation).resetLink(address(user))
    if (link === undefined) throw new CommandRefused('There is no account of this address.')
    return { passwordLink: link }
  },
}

const revokeSigningKeys: AdminCommand = {
  about: 'refuse every token that the embedded provider has signed; people stay signed in',
  takes: [],
  run: async (installation) => {
    await embedded(installation).revokeSigningKeys()
    return { revoked: true }
  },
}

export const commands: Readonly<Record<string, AdminCommand>> = {
  status,
  organizations,
  usage,
  'usage-callers': usageCallers,
  setup,
  'setup-link': setupLink,
  'reset-link': resetLink,
  'revoke-signing-keys': revokeSigningKeys,
  'token-create': tokenCreate,
  'token-list': tokenList,
  'token-revoke': tokenRevoke,
  'session-list': sessionList,
  'session-revoke': sessionRevoke,
  'audit-verify': auditVerify,
  'audit-export': auditExport,
  'audit-key': auditKey,
  backup,
  export: exportAll,
  import: importAll,
  'key-status': keyStatus,
  'key-rotate': keyRotate,
  'data-key-rotate': dataKeyRotate,
  billing,
  'billing-customer': billingCustomer,
  'billing-retry': billingRetry,
  'billing-settle': billingSettle,
}

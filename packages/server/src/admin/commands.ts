/** All operator commands on the open store. A command runs in the server that holds the store or, if none runs, by itself. */
import { z } from 'zod'
import { limits } from '@rollkey/contract'
import { operatorOf } from '../storage/actor.ts'
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
  about: 'show whether a server is running, the schema version, and how much is stored',
  takes: [],
  run: async ({ sql, serving }) => ({ serving, schema: await schemaVersion(sql), ...(await countAll(sql)) }),
}

const organizations: AdminCommand = {
  about: 'list the IDs and slugs of all organizations',
  takes: [],
  run: async ({ sql }) => ({ organizations: await everyOrganization(sql) }),
}

const usage: AdminCommand = {
  about: 'show evaluations by organization, project, stage and day of a month (default: this month)',
  takes: ['[YYYY-MM]'],
  run: async (installation, [requestedMonth]) => {
    const month = monthAsked(installation, requestedMonth)
    await installation.journal?.fold()
    const rows = await usageBetween(installation.sql, `${month}-01`, `${month}-31`)
    return { month, usage: rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }
  },
}

const usageCallers: AdminCommand = {
  about: 'show evaluations by caller and stage in a month (default: this month)',
  takes: ['ORGANIZATION', '[YYYY-MM]'],
  run: async (installation, [organization = '', requestedMonth]) => {
    const month = monthAsked(installation, requestedMonth)
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
  throw new CommandRefused(
    'This installation uses an external identity provider (ROLLKEY_IDP_ISSUER): manage accounts there.',
  )
}

const email = z.email()
const address = (text: string | undefined): string => {
  const parsed = email.safeParse(text)
  if (!parsed.success) throw new CommandRefused('Invalid EMAIL (expected an address such as ada@example.com).')
  return parsed.data
}

const setup: AdminCommand = {
  about: "create a user and an organization if they don't exist, and print an access and a refresh token",
  takes: ['EMAIL', 'ORGANIZATION'],
  startsStore: true,
  run: async (installation, [user, slug = '']) => {
    const identity = embedded(installation)
    if (!organizationSlug.test(slug)) {
      throw new CommandRefused('Invalid ORGANIZATION (expected 1 to 63 lowercase letters, digits and dashes).')
    }
    const { account, idpOrgId, passwordLink } = await identity.createOwner(address(user), slug)
    const orgId = await installation.organizations.idOf(idpOrgId, slug, operatorOf)
    const pair = await installation.sessions.open({ orgId, userId: account.id, clientName: 'rollkey-server setup' })
    return { email: account.email, idpUserId: account.id, orgId, orgSlug: slug, passwordLink, ...pair }
  },
}

const setupLink: AdminCommand = {
  about: 'print a new one-time link to create the first account and organization',
  takes: [],
  run: async (installation) => {
    const link = await embedded(installation).setupLink({ renew: true })
    if (link === undefined)
      throw new CommandRefused(
        'An account already exists: sign in, or print a password link with rollkey-server reset-link.',
      )
    return { setupLink: link }
  },
}

const resetLink: AdminCommand = {
  about: 'print a one-time link to set a new password',
  takes: ['EMAIL'],
  run: async (installation, [user]) => {
    const link = await embedded(installation).resetLink(address(user))
    if (link === undefined) throw new CommandRefused('No account has this email address.')
    return { passwordLink: link }
  },
}

const revokeSigningKeys: AdminCommand = {
  about:
    'replace the signing keys of the embedded identity provider, which invalidates all its tokens; people stay signed in',
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

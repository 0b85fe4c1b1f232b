/** What an operator can ask. A command works on the open store, in the server or, if none runs, on its own. */
import { z } from 'zod'
import type { Organizations } from '../auth/organizations.ts'
import { dayOf, type Clock } from '../base/clock.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import { organizationSlug } from '../identity/rules.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { schemaVersion } from '../storage/migrate.ts'
import { countAll } from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'
import { usageBetween } from '../storage/usage.ts'

export interface Installation {
  readonly sql: Sql
  readonly clock: Clock
  readonly sessions: Sessions
  readonly organizations: Organizations
  /** Undefined with an outside provider. */
  readonly identity: EmbeddedProvider | undefined
  /** Whether a server serves this store now; undefined: others may. */
  readonly serving: boolean | undefined
}

export interface AdminCommand {
  readonly about: string
  /** Names of the arguments; one in brackets may be left out. */
  readonly takes: readonly string[]
  /** Whether an empty data directory will do. */
  readonly startsStore?: true
  /** A JSON value. Throws CommandRefused. */
  run(installation: Installation, args: readonly string[]): Promise<unknown>
}

/** A sentence for the operator. */
export class CommandRefused extends Error {}

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)

const status: AdminCommand = {
  about: 'whether a server runs, the schema, and how much is stored',
  takes: [],
  run: async ({ sql, serving }) => ({ serving, schema: await schemaVersion(sql), ...(await countAll(sql)) }),
}

const usage: AdminCommand = {
  about: 'evaluations per organization, project, stage and day of a month (default: this one)',
  takes: ['[YYYY-MM]'],
  run: async ({ sql, clock }, [asked]) => {
    const parsed = month.safeParse(asked ?? dayOf(clock.now()).slice(0, 7))
    if (!parsed.success) throw new CommandRefused('The month must look like 2026-11.')
    const rows = await usageBetween(sql, `${parsed.data}-01`, `${parsed.data}-31`)
    const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    return { month: parsed.data, usage: sorted }
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
    const orgId = await installation.organizations.idOf(idpOrgId, slug)
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
  usage,
  setup,
  'setup-link': setupLink,
  'reset-link': resetLink,
  'revoke-signing-keys': revokeSigningKeys,
}

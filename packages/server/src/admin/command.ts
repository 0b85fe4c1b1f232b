/** The type of an operator command, and helpers that commands share. */
import { z } from 'zod'
import type { Checkpoints } from '../audit/checkpoints.ts'
import type { AuditRetention } from '../audit/retention.ts'
import type { Organizations } from '../auth/organizations.ts'
import { monthOf, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import type { Progress } from '../base/progress.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import type { ServiceTokens } from '../sessions/service-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { organizationsNamed, type OrganizationRow } from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'
import type { UsageJournal } from '../storage/usage-journal.ts'
import type { Projects } from '../stages/projects.ts'
import type { Stages } from '../stages/stages.ts'
import type { VariableWriter } from '../variables/write.ts'

/** The parts of the open store that a command works with. */
export interface Installation {
  readonly sql: Sql
  /** Usage that is not in the tables yet; undefined if all usage is in the tables. */
  readonly journal: UsageJournal | undefined
  readonly clock: Clock
  readonly keyring: Keyring
  /** The data directory of the embedded store; undefined on PostgreSQL. */
  readonly embeddedFolder: string | undefined
  /** The public half of the backup key; undefined if none is set. */
  readonly backupRecipient: string | undefined
  readonly sessions: Sessions
  readonly serviceTokens: ServiceTokens
  readonly organizations: Organizations
  readonly projects: Projects
  readonly stages: Stages
  readonly writer: VariableWriter
  readonly checkpoints: Checkpoints
  readonly auditRetention: AuditRetention
  /** The embedded identity provider; undefined with an external one. */
  readonly identity: EmbeddedProvider | undefined
  /** Whether a server serves this store now; undefined on PostgreSQL, where other nodes may serve it. */
  readonly serving: boolean | undefined
}

export interface AdminCommand {
  /** The line of `rollkey-server --help` about the command. */
  readonly about: string
  /** Names of the arguments. Brackets mark an optional one. A name that ends in FILE is a path, relative to the caller's folder. */
  readonly takes: readonly string[]
  /** Whether the command also runs on an empty data directory, where it creates the store. */
  readonly startsStore?: true
  /** Runs the command and returns a JSON value or a Report. Throws CommandRefused. */
  run(installation: Installation, args: readonly string[], progress?: Progress): Promise<unknown>
}

/** A result with a text form for a person at a terminal and a JSON form for everyone else. */
export class Report {
  readonly json: unknown
  readonly text: string

  constructor(json: unknown, text: string) {
    this.json = json
    this.text = text
  }
}

/** An error whose message is shown to the operator. */
export class CommandRefused extends Error {}

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)

/** Returns the requested month, or the current one. Throws CommandRefused. */
export function monthAsked({ clock }: Installation, requested: string | undefined): string {
  const parsed = month.safeParse(requested ?? monthOf(clock.now()))
  if (!parsed.success) throw new CommandRefused('Invalid month (expected YYYY-MM, such as 2026-11).')
  return parsed.data
}

/** Turns an API error of the work into a CommandRefused. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ApiError ? new CommandRefused(error.message) : error
  }
}

/** Returns the id of the organization with this slug or id. Throws CommandRefused. */
export async function orgIdOf(sql: Sql, name: string): Promise<string> {
  return (await organizationOf(sql, name)).id
}

/** Returns the organization with this slug or id. Throws CommandRefused. */
export async function organizationOf(sql: Sql, name: string): Promise<OrganizationRow> {
  const [found, ...others] = await organizationsNamed(sql, name)
  if (!found)
    throw new CommandRefused('No organization has this slug or ID: list them with rollkey-server organizations.')
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  throw new CommandRefused(`Several organizations have this slug. Use the ID of one of them: ${ids.join(', ')}`)
}

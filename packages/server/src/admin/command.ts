/** What a command is, and what it works with. */
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
import type { Projects } from '../variables/projects.ts'
import type { Stages } from '../variables/stages.ts'
import type { VariableWriter } from '../variables/write.ts'

export interface Installation {
  readonly sql: Sql
  /** What is not yet in the tables; undefined if all is. */
  readonly journal: UsageJournal | undefined
  readonly clock: Clock
  readonly keyring: Keyring
  /** The data directory of the embedded store; undefined on PostgreSQL. */
  readonly embeddedFolder: string | undefined
  /** The public half of the backup key; undefined: there is none. */
  readonly backupRecipient: string | undefined
  readonly sessions: Sessions
  readonly serviceTokens: ServiceTokens
  readonly organizations: Organizations
  readonly projects: Projects
  readonly stages: Stages
  readonly writer: VariableWriter
  readonly checkpoints: Checkpoints
  readonly auditRetention: AuditRetention
  /** Undefined with an outside provider. */
  readonly identity: EmbeddedProvider | undefined
  /** Whether a server serves this store now; undefined: others may. */
  readonly serving: boolean | undefined
}

export interface AdminCommand {
  readonly about: string
  /** Names of the arguments; one in brackets may be left out. One that ends in FILE is a path, as the caller's folder has it. */
  readonly takes: readonly string[]
  /** Whether an empty data directory will do. */
  readonly startsStore?: true
  /** A JSON value. Throws CommandRefused. */
  run(installation: Installation, args: readonly string[], progress?: Progress): Promise<unknown>
}

/** An answer that a person at a terminal would rather read as text. */
export class Report {
  readonly json: unknown
  readonly text: string

  constructor(json: unknown, text: string) {
    this.json = json
    this.text = text
  }
}

/** A sentence for the operator. */
export class CommandRefused extends Error {}

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)

/** The month that was asked for, or this one. Throws CommandRefused. */
export function monthAsked({ clock }: Installation, asked: string | undefined): string {
  const parsed = month.safeParse(asked ?? monthOf(clock.now()))
  if (!parsed.success) throw new CommandRefused('The month must look like 2026-11.')
  return parsed.data
}

/** A refusal of the service, as one of the command. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ApiError ? new CommandRefused(error.message) : error
  }
}

/** The id of the organization of a slug or id. Throws CommandRefused. */
export async function orgIdOf(sql: Sql, name: string): Promise<string> {
  return (await organizationOf(sql, name)).id
}

/** The organization of a slug or id. Throws CommandRefused. */
export async function organizationOf(sql: Sql, name: string): Promise<OrganizationRow> {
  const [found, ...others] = await organizationsNamed(sql, name)
  if (!found) throw new CommandRefused('There is no organization of this slug or id.')
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  throw new CommandRefused(`Several organizations have this slug; give the id of one: ${ids.join(', ')}`)
}

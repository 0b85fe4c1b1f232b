/** The declaration of an operator command, and helpers that commands share. */
import { errors } from '@rollkey/contract'
import { z } from 'zod'
import type { Checkpoints } from '../audit/checkpoints.ts'
import type { AuditRetention } from '../audit/retention.ts'
import type { Organizations } from '../auth/organizations.ts'
import { monthOf, type Clock, type Timer } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import type { Log } from '../base/log.ts'
import type { Progress } from '../base/progress.ts'
import type { OpenedStore } from '../backup/restore.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { CheckInput } from '../doctor/finding.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import type { Writer } from '../replica/names.ts'
import type { ServiceTokens } from '../sessions/service-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { organizationsNamed, type OrganizationRow } from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'
import type { PendingUsage } from '../metering/pending-usage.ts'
import type { Declarations } from '../declarations/declarations.ts'
import type { Projects } from '../stages/projects.ts'
import type { Stages } from '../stages/stages.ts'
import type { VariableWriter } from '../variables/write.ts'
import { CommandError, usage, type CommandErrorCode } from './command-error.ts'

/** The parts of the open store that a command works with. */
export interface Installation {
  readonly sql: Sql
  readonly pending: PendingUsage
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
  readonly declarations: Declarations
  readonly stages: Stages
  readonly writer: VariableWriter
  readonly checkpoints: Checkpoints
  readonly auditRetention: AuditRetention
  /** Whether the audit logs are sent to another system. */
  readonly hasAuditStream: boolean
  /** The embedded identity provider; undefined with an external one. */
  readonly identity: EmbeddedProvider | undefined
  /** Whether a server serves this store now; undefined on PostgreSQL, where other nodes may serve it. */
  readonly serving: boolean | undefined
}

/** The deployment of a command that does not work with the open store. */
export interface Deployment extends Pick<CheckInput, 'config' | 'publicUrl' | 'openKeyring' | 'openReplica'> {
  readonly clock: Timer
  readonly log: Log
  /** Opens the embedded store of a folder. Throws an error with a message for the operator. */
  openFolder(folder: string): Promise<OpenedStore>
  /** Starts the service in this process. `writer`: what the process became in the replica. Throws an error with a message for the operator. */
  startService(writer: Writer | undefined): Promise<RunningService & { readonly publicUrl: string }>
}

/** A name such as `<FILE>` or `--org <org>`, and its description. */
type Row = readonly [name: string, about: string]

interface CommandText {
  /** Name such as `status` or `token create`. */
  readonly name: string
  readonly summary: string
  /** Arguments such as `<FILE>` or `[REPORT]`. The value of <FILE>, or of an option with <file>, is an absolute path. */
  readonly args?: readonly Row[]
  /**
   * Whether <FILE> may be `-`: standard input, or standard output for a command on the open store. Such a command gets the
   * name of a temporary file and `piped`.
   */
  readonly pipesFile?: true
  /** Options that must be given. */
  readonly required?: readonly Row[]
  readonly options?: readonly Row[]
  /** Command lines without the name of the program, and their descriptions. */
  readonly examples: readonly Row[]
}

/** A command on the open store. It runs in the server that holds the store or, if none runs, by itself. */
export interface StoreCommand<Input extends object = object> extends CommandText {
  /** What happens when the reader of standard output has the whole file of a command that pipes it. */
  afterPipe?(parts: { readonly dataDir: string; readonly clock: Clock }): Promise<void>
  /** Whether the command also runs on an empty data directory, where it creates the store. */
  readonly startsStore?: true
  /**
   * Runs the command and returns a JSON value, or a text to print as is. `input` has the arguments and options by name, in
   * camel case. Throws CommandError.
   */
  runOnStore(installation: Installation, input: Input, progress: Progress): Promise<unknown>
}

/** A command that does not work with the open store, but with files or with the whole deployment. */
export interface OfflineCommand<Input extends object = object> extends CommandText {
  /** Runs the command and returns a JSON value, a text to print as is, a Report or a LiveReport. Throws CommandError. */
  runOffline(deployment: Deployment, input: Input, progress: Progress): Promise<unknown>
}

/** A command that runs until a signal ends it, as the service does. */
export interface ServiceCommand<Input extends object = object> extends CommandText {
  /** Resolves once it runs. Throws CommandError. */
  start(deployment: Deployment, input: Input): Promise<RunningService>
}

export interface RunningService {
  close(): Promise<void>
}

export type OperatorCommand = StoreCommand | OfflineCommand | ServiceCommand

/** Declares a command on the open store, so that its input has one type. */
export function storeCommand<Input extends object>(spec: StoreCommand<Input>): StoreCommand<Input> {
  return spec
}

/** Declares a command without the open store, so that its input has one type. */
export function offlineCommand<Input extends object>(spec: OfflineCommand<Input>): OfflineCommand<Input> {
  return spec
}

/** Declares a command that runs as the service does, so that its input has one type. */
export function serviceCommand<Input extends object>(spec: ServiceCommand<Input>): ServiceCommand<Input> {
  return spec
}

/** Options that several commands have. */
export const option = {
  org: ['--org <org>', 'slug or ID of the organization'],
  month: ['--month <YYYY-MM>', 'a month, such as 2026-11 (default: this month)'],
} as const satisfies Record<string, Row>

/** A result with a text form for a terminal and a JSON form for everything else. */
export class Report {
  readonly json: unknown
  readonly text: string

  constructor(json: unknown, text: string) {
    this.json = json
    this.text = text
  }
}

/** A result with a text that appears line by line on a terminal, and whose JSON is complete at the end. */
export class LiveReport {
  /** Yields the text and returns the JSON. */
  readonly parts: AsyncGenerator<string, object>

  constructor(parts: AsyncGenerator<string, object>) {
    this.parts = parts
  }
}

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)

/** Returns the requested month, or the current one. Throws CommandError. */
export function requestedMonth({ clock }: Installation, requested: string | undefined): string {
  const parsed = month.safeParse(requested ?? monthOf(clock.now()))
  if (!parsed.success) throw usage('Invalid --month (expected YYYY-MM, such as 2026-11).', 'usage')
  return parsed.data
}

/** Turns an API error of the work into a CommandError: NOT_FOUND, or `otherwise`. */
export async function withCommandErrors<T>(work: Promise<T>, otherwise: CommandErrorCode = 'CONFLICT'): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new CommandError(errors[error.code].status === 404 ? 'NOT_FOUND' : otherwise, error.message)
  }
}

/** Returns the id of the organization with this slug or id. Throws CommandError. */
export async function orgIdOf(sql: Sql, name: string): Promise<string> {
  return (await organizationOf(sql, name)).id
}

/** Returns the organization with this slug or id. Throws CommandError. */
export async function organizationOf(sql: Sql, name: string): Promise<OrganizationRow> {
  const [found, ...others] = await organizationsNamed(sql, name)
  if (!found) throw new CommandError('NOT_FOUND', 'No organization has this slug or ID', 'organizations')
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  throw new CommandError(
    'CONFLICT',
    `Several organizations have this slug. Use the ID of one of them: ${ids.join(', ')}`,
  )
}

/** Exit statuses, and errors of commands: one line that says what is wrong and what to do. */
import { RollkeyError, type RollkeyErrorCode } from '@rollkey/sdk'

/** Codes that neither the service nor the SDK has. `tools/error-codes.ts` says what each means. */
export type LineErrorCode =
  | 'ALREADY_PROPOSED'
  | 'CANCELLED'
  | 'COMMAND_NOT_FOUND'
  | 'EMPTY_VALUE'
  | 'ENVIRONMENT_TOO_LARGE'
  | 'ERROR'
  | 'FILE_EXISTS'
  | 'INVALID_FILE'
  | 'INVALID_IMPORT'
  | 'INVALID_NAME'
  | 'INVALID_OVERRIDES'
  | 'INVALID_TEMPLATE'
  | 'INVALID_VALUE'
  | 'NOT_AS_DECLARED'
  | 'NOT_DELIVERED'
  | 'NOT_EXECUTABLE'
  | 'NOT_READ'
  | 'NOT_STARTED'
  | 'NOT_WRITTEN'
  | 'NO_CURRENT_FOLDER'
  | 'NO_LAST_VALUES'
  | 'OUTPUT_FAILED'
  | 'OUT_OF_DATE'
  | 'RESERVED_NAME'
  | 'SOURCE_NOT_FOUND'
  | 'SOURCE_REFUSED'
  | 'USAGE'

/** Every code of an error of a command. Besides these, an error of the operating system keeps its code, such as `ENOENT`. */
export type CliErrorCode = LineErrorCode | RollkeyErrorCode

/** Exit statuses. `rollkey diff` has one more. */
export const exit = {
  ok: 0,
  error: 1,
  usage: 2,
  loginNeeded: 3,
  forbidden: 4,
  notFound: 5,
  invalid: 6,
  quota: 7,
  unreachable: 8,
  /** Statuses of `rollkey run`, as in sh: a command that cannot be executed, and one that does not exist. */
  notExecutable: 126,
  commandNotFound: 127,
} as const

export type ExitStatus = (typeof exit)[keyof typeof exit]

const statusOf: Partial<Record<RollkeyErrorCode, ExitStatus>> = {
  INVALID_SETTING: exit.usage,
  UNTRUSTED_URL: exit.usage,
  UNAUTHORIZED: exit.loginNeeded,
  LOGIN_NEEDED: exit.loginNeeded,
  INVALID_REFRESH_TOKEN: exit.loginNeeded,
  ORG_SCOPE_INVALID: exit.loginNeeded,
  EXCHANGE_REFUSED: exit.loginNeeded,
  DEVICE_CODE_EXPIRED: exit.loginNeeded,
  DEVICE_CODE_NOT_FOUND: exit.loginNeeded,
  FORBIDDEN: exit.forbidden,
  CONFIRMATION_REQUIRED: exit.forbidden,
  APPROVAL_REQUIRED: exit.forbidden,
  STAGE_FROZEN: exit.forbidden,
  INVALID_ORG_SCOPE: exit.forbidden,
  VARIABLE_NOT_FOUND: exit.notFound,
  STAGE_NOT_FOUND: exit.notFound,
  NOT_FOUND: exit.notFound,
  INVALID_REQUEST: exit.invalid,
  INVALID_JSON: exit.invalid,
  REVISION_CONFLICT: exit.invalid,
  CHANGE_CONFLICT: exit.invalid,
  PAYLOAD_TOO_LARGE: exit.invalid,
  USAGE_LIMIT_EXCEEDED: exit.quota,
  UNREACHABLE: exit.unreachable,
  SERVICE_UNAVAILABLE: exit.unreachable,
  BILLING_UNAVAILABLE: exit.unreachable,
  AUDIT_NOT_DELIVERED: exit.unreachable,
  REQUEST_TIMEOUT: exit.unreachable,
  RATE_LIMITED: exit.unreachable,
}

/** The command to try for codes that determine it. */
const commandFor: Partial<Record<RollkeyErrorCode, string>> = {
  UNTRUSTED_URL: 'rollkey trust-url --help',
  EXCHANGE_REFUSED: 'rollkey trust test --help',
  APPROVAL_REQUIRED: 'rollkey change --help',
  STAGE_FROZEN: 'rollkey change --help',
  CHANGE_CONFLICT: 'rollkey change list --all',
}
const commandForStatus: Partial<Record<ExitStatus, string>> = {
  [exit.loginNeeded]: 'rollkey login',
  [exit.forbidden]: 'rollkey whoami',
  [exit.notFound]: 'rollkey list',
  [exit.unreachable]: 'rollkey doctor',
}

/** Returns the command that lists what exists in place of a stage, or of a project, that a message says does not. */
export function placesCommand(message: string): string {
  const [, project] = /^The project "([\w.-]+)" has no stage /.exec(message) ?? []
  return project === undefined ? 'rollkey project list' : `rollkey stage list --project ${project}`
}

export interface CliErrorDetails {
  readonly status?: ExitStatus
  /** A command to try. */
  readonly command?: string | undefined
  readonly requestId?: string | undefined
}

/** Error that ends a command. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: CliErrorCode
  readonly status: ExitStatus
  readonly command: string | undefined
  readonly requestId: string | undefined

  constructor(code: CliErrorCode, message: string, { status = exit.error, command, requestId }: CliErrorDetails = {}) {
    super(message)
    this.code = code
    this.status = status
    this.command = command ?? commandForStatus[status]
    this.requestId = requestId
  }

  /** The message without its final period, since more text follows. */
  get what(): string {
    return this.message.replace(/\.$/, '')
  }

  /** `CODE: what; try: command`, or `CODE: what? Try: command`, unless the message names the command. */
  get line(): string {
    const line = `${this.code}: ${this.what}`
    const isNamed = this.command === undefined || this.message.includes(this.command)
    return isNamed ? line : `${line}${line.endsWith('?') ? ' Try' : '; try'}: ${this.command}`
  }

  toJSON(): object {
    const { code, message, command, requestId } = this
    return { error: { code, message, ...(command && { try: command }), ...(requestId && { requestId }) } }
  }
}

/** Returns the error for invalid usage. The command to try is by default the help of the command that ran. */
export function usage(message: string, command?: string): CliError {
  return new CliError('USAGE', message, { status: exit.usage, command })
}

/** What the service says about a field that has another name on the command line. */
const slugField = /^(stage|project)Slug (must)\b/

/** Options of the SDK in its messages. */
const sdkOption = /connect\(\{ (\w+) \}\)|the option allowHttp/g

/** Returns a message of the SDK with the options of the command line in place of those in code. */
export function inWordsOfCommands(message: string): string {
  return message.replace(sdkOption, (_, name: string | undefined) => `--${name ?? 'insecure-http'}`)
}

/** Turns any error into the one that a person sees. `help` is the command to try after wrong usage; other errors say what to do. */
export function failureOf(error: unknown, help?: string, env: NodeJS.ProcessEnv = {}): CliError {
  if (error instanceof CliError) return error.code === 'USAGE' && !error.command ? usage(error.message, help) : error
  if (error instanceof RollkeyError) {
    const { code, message, requestId } = error
    const status = statusOf[code] ?? exit.error
    const token = (['ROLLKEY_TOKEN', 'ROLLKEY_TOKEN_FILE'] as const).find((name) => env[name] !== undefined)
    if (code === 'UNAUTHORIZED' && token !== undefined) {
      // A login does not help while the variable is set.
      const what = `The service refused the token of ${token}: it is unknown, expired or revoked. Set a valid one, or unset ${token}`
      return new CliError(code, what, { status, requestId, command: 'rollkey config' })
    }
    return new CliError(
      code,
      inWordsOfCommands(message)
        .replace(slugField, 'The $1 $2')
        .replace(/^orgSlug\b/, 'The organization of --org'),
      {
        status,
        requestId,
        command: code === 'STAGE_NOT_FOUND' ? placesCommand(message) : (commandFor[code] ?? commandForStatus[status]),
      },
    )
  }
  const { code = 'ERROR', message } = error as NodeJS.ErrnoException
  return new CliError(code as CliErrorCode, message)
}

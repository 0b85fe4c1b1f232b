/**
 * Structured logs by an allow-list: a line is built from the fields named here and from nothing else, so a value, a
 * token, a code or a key has no way in. Objects of other origin (requests, errors) are never passed to the logger.
 */
import { styleText } from 'node:util'
import { pino } from 'pino'

export interface LogFields {
  readonly requestId?: string
  readonly endpoint?: string
  readonly method?: string
  readonly status?: number
  readonly code?: string
  readonly durationMs?: number
  readonly orgId?: string
  readonly projectId?: string
  readonly stageId?: string
  readonly sessionId?: string
  readonly keyId?: string
  readonly url?: string
  readonly path?: string
  readonly version?: string
  readonly name?: string
  readonly step?: number
  readonly steps?: number
  readonly count?: number
  /** Class, code and position of an error; never its text. */
  readonly reason?: string
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

const colors = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const

/** A line as a person at a terminal would rather read it. */
function readable(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const name = level as keyof typeof colors
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${String(value)}`)
  const clock = new Date(time as number).toTimeString().slice(0, 8)
  return `${styleText('gray', clock)} ${styleText(colors[name], name.padEnd(5))} ${String(msg)}  ${styleText('gray', rest.join(' '))}\n`
}

/** Writes JSON lines, or coloured text where a person watches. */
export function createLog(
  level: LogLevel,
  out: { write(line: string): unknown; isTTY?: boolean } = process.stdout,
): Log {
  const destination = out.isTTY ? { write: (line: string) => out.write(readable(line)) } : out
  const logger = pino(
    { level, base: null, formatters: { level: (label) => ({ level: label }) } },
    destination as { write(line: string): void },
  )
  const line =
    (name: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: LogFields = {}): void =>
      logger[name](fields, message)
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}

/** What may be said of an error: its class, its code, and where in the source it was thrown; not its text. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code, errcode } = error as { code?: string; errcode?: number }
  const position = /\(?((?:file:\/\/)?[^\s()]+:\d+:\d+)\)?/.exec(
    error.stack?.split('\n').find((line) => line.startsWith('    at ')) ?? '',
  )
  const file = position?.[1]?.split('/').slice(-2).join('/')
  const cause = error.cause === undefined ? undefined : `caused by ${reasonOf(error.cause)}`
  return [error.name, code, errcode, file, cause].filter((part) => part !== undefined).join(' ')
}

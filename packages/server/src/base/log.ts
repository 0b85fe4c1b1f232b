/**
 * Structured logs with an allow-list. A line contains only the fields named here, so a value, a token, a code or a key
 * cannot get into it. Requests and errors are never passed to the logger.
 */
import { styleText } from 'node:util'
import { pino } from 'pino'

/** `reason` is the class, code and position of an error, never its text. */
const textFields = [
  'requestId',
  'traceId',
  'endpoint',
  'method',
  'code',
  'orgId',
  'projectId',
  'stageId',
  'sessionId',
  'keyId',
  'url',
  'address',
  'path',
  'version',
  'name',
  'reason',
  'checkpoint',
  'proxy',
  'provider',
] as const
const numberFields = ['status', 'durationMs', 'step', 'steps', 'count'] as const
const allowed = new Set<string>([...textFields, ...numberFields])

type LogFields = {
  readonly [name in (typeof textFields)[number]]?: string | undefined
} & {
  readonly [name in (typeof numberFields)[number]]?: number
}

/** Drops fields that are not allowed. Types alone would accept an object that has more fields than its type declares. */
function onlyAllowed(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => allowed.has(name)))
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

/** Formats a line for a person at a terminal. */
function readable(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const name = level as keyof typeof colors
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${String(value)}`)
  const clock = new Date(time as number).toTimeString().slice(0, 8)
  return `${styleText('gray', clock)} ${styleText(colors[name], name.padEnd(5))} ${String(msg)}  ${styleText('gray', rest.join(' '))}\n`
}

/** Creates a log that writes JSON lines, or colored text to a terminal. */
export function createLog(
  level: LogLevel,
  out: { write(line: string): unknown; isTTY?: boolean } = process.stdout,
): Log {
  const destination = out.isTTY ? { write: (line: string) => out.write(readable(line)) } : out
  const logger = pino(
    { level, base: null, formatters: { level: (label) => ({ level: label }), log: onlyAllowed } },
    destination as { write(line: string): void },
  )
  const line =
    (name: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: LogFields = {}): void =>
      logger[name](fields, message)
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}

/** Returns what may be logged about an error: its class, its code and where it was thrown, never its text. */
export function reasonOf(error: unknown, causes = 3): string {
  if (!(error instanceof Error)) return typeof error
  const { code, errcode } = error as { code?: string; errcode?: number }
  // The stack begins with the error's text, which can itself look like a position.
  const stack = error.stack ?? ''
  const textAt = stack.indexOf(error.message)
  const frames = textAt < 0 ? [] : stack.slice(textAt + error.message.length).split('\n')
  const position = /\(?((?:file:\/\/)?[^\s()]+:\d+:\d+)\)?/.exec(
    frames.find((line) => line.startsWith('    at ')) ?? '',
  )
  const file = position?.[1]?.split('/').slice(-2).join('/')
  const cause = error.cause === undefined || causes === 0 ? undefined : `caused by ${reasonOf(error.cause, causes - 1)}`
  return [error.name, code, errcode, file, cause].filter((part) => part !== undefined).join(' ')
}

/** Log whose warnings and errors are counted by message. */
export interface CountedLog extends Log {
  readonly lines: ReadonlyMap<string, { readonly level: 'warn' | 'error'; readonly count: number }>
}

/** Returns a log that also counts. Messages are fixed texts of the source, so they are few. */
export function countedLog(log: Log): CountedLog {
  const lines = new Map<string, { level: 'warn' | 'error'; count: number }>()
  const counted =
    (level: 'warn' | 'error') =>
    (message: string, fields?: LogFields): void => {
      lines.set(message, { level, count: (lines.get(message)?.count ?? 0) + 1 })
      log[level](message, fields)
    }
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: counted('warn'),
    error: counted('error'),
    lines,
  }
}

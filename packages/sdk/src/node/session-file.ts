/** The file of the sessions, as it is on disk. */
import { readFileSync } from 'node:fs'
import { RollkeyError } from '../errors.ts'
import type { TokenPair } from '../device.ts'

const version = 1

/** A session as the file has it. */
export interface SessionRecord {
  readonly url: string
  readonly orgSlug: string
  /** `keychain`: they are there. */
  readonly tokens: TokenPair | 'keychain'
  /** Unix time in milliseconds. */
  readonly refreshStartedAtMs?: number | undefined
}

/** What the file has; nothing if it is not there. Throws INVALID_SETTING, quoting nothing of it. */
export function readSessionFile(file: string): readonly SessionRecord[] {
  const text = readText(file)
  if (text === undefined) return []
  const content = parsed(text) as { version?: unknown; sessions?: unknown } | null | undefined
  if (typeof content?.version === 'number' && content.version > version) {
    throw invalid(`${file} was written by a newer Rollkey. Update this one, or remove the file and run rollkey login.`)
  }
  const { sessions } = content ?? {}
  if (!Array.isArray(sessions) || !sessions.every(isSessionRecord)) {
    throw invalid(`${file}, which keeps logins, is damaged. Remove it and run rollkey login.`)
  }
  return sessions
}

export function sessionFileOf(sessions: readonly SessionRecord[]): string {
  return `${JSON.stringify({ version, sessions }, null, 2)}\n`
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw invalid(`${file}, which keeps logins, cannot be read (${code}). Make it yours, or remove it.`)
  }
}

/** Undefined if it is not JSON: the parser's own error would quote tokens. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSessionRecord(value: unknown): value is SessionRecord {
  const { url, orgSlug, tokens, refreshStartedAtMs = 0 } = (value ?? {}) as Record<string, unknown>
  return (
    typeof url === 'string' &&
    typeof orgSlug === 'string' &&
    typeof refreshStartedAtMs === 'number' &&
    (tokens === 'keychain' || isTokenPair(tokens))
  )
}

function isTokenPair(value: unknown): value is TokenPair {
  const pair = (value ?? {}) as Record<string, unknown>
  return (
    typeof pair['accessToken'] === 'string' &&
    typeof pair['refreshToken'] === 'string' &&
    typeof pair['accessTokenExpiresAtMs'] === 'number' &&
    typeof pair['refreshTokenExpiresAtMs'] === 'number'
  )
}

/** The pair of a text that `JSON.stringify` made of one; undefined if it is something else. */
export function tokenPairOf(text: string): TokenPair | undefined {
  const pair = parsed(text)
  return isTokenPair(pair) ? pair : undefined
}

function invalid(message: string): RollkeyError {
  return new RollkeyError('INVALID_SETTING', message)
}

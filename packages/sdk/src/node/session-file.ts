/** Reads and writes the file of the sessions. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { RollkeyError } from '../errors.ts'
import type { TokenPair } from '../device.ts'

const version = 1

/** What is secret of a session. */
export interface SessionSecrets extends TokenPair {
  readonly snapshotKey?: string | undefined
}

/** A session in the file. */
export interface SessionRecord {
  readonly url: string
  readonly orgSlug: string
  /** The tokens, or `keychain` if they are in the keychain. */
  readonly tokens: SessionSecrets | 'keychain'
  /** When a refresh began that is in progress or whose answer was lost. Unix time in milliseconds. */
  readonly refreshStartedAtMs?: number | undefined
}

/** Returns the path of the file, which is in the folder of the logins. */
export function sessionFileIn(folder: string): string {
  return path.join(folder, 'sessions.json')
}

/** Returns the sessions of the file, or none if there is no file. Throws INVALID_SETTING without quoting the content. */
export function readSessionFile(file: string): readonly SessionRecord[] {
  const text = readText(file)
  if (text === undefined) return []
  const content = parseJson(text) as { version?: unknown; sessions?: unknown } | null | undefined
  if (typeof content?.version === 'number' && content.version > version) {
    throw invalid(`${file} was written by a newer Rollkey. Update Rollkey, or remove the file and run rollkey login.`)
  }
  const { sessions } = content ?? {}
  if (!Array.isArray(sessions) || !sessions.every(isSessionRecord)) {
    throw invalid(`${file}, which stores logins, is damaged. Remove it and run rollkey login.`)
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
    throw invalid(`${file}, which stores logins, cannot be read (${code}). Make it readable, or remove it.`)
  }
}

/** Parses JSON. Returns undefined if it is invalid, since the error of the parser would quote tokens. */
function parseJson(text: string): unknown {
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
    (tokens === 'keychain' || isSecrets(tokens))
  )
}

function isSecrets(value: unknown): value is SessionSecrets {
  const pair = (value ?? {}) as Record<string, unknown>
  return (
    ['string', 'undefined'].includes(typeof pair['snapshotKey']) &&
    typeof pair['accessToken'] === 'string' &&
    typeof pair['refreshToken'] === 'string' &&
    typeof pair['accessTokenExpiresAtMs'] === 'number' &&
    typeof pair['refreshTokenExpiresAtMs'] === 'number'
  )
}

/** Parses secrets that `JSON.stringify` wrote. Returns undefined if the text is something else. */
export function parseSecrets(text: string): SessionSecrets | undefined {
  const secrets = parseJson(text)
  return isSecrets(secrets) ? secrets : undefined
}

function invalid(message: string): RollkeyError {
  return new RollkeyError('INVALID_SETTING', message)
}

/** Stores the sessions of the command line: a file lists them, and their tokens are in the system's keychain or that file. */
import { hash } from 'node:crypto'
import { RollkeyError } from '../errors.ts'
import { writeFileAtomically } from './atomic-file.ts'
import { configFolder, withFolderLock } from './config-folder.ts'
import type { Keychain } from './keychain.ts'
import type { Session, SessionKey } from './session.ts'
import { readSessionFile, sessionFileIn, sessionFileOf, type SessionRecord } from './session-file.ts'
import type { Environment } from './environment.ts'
import { TokenStore } from './token-store.ts'

/** A session of the list. */
export interface SessionEntry extends SessionKey {
  /** Where the tokens are stored. */
  readonly tokensIn: 'keychain' | 'file'
}

/** Options of `openCredentials`. */
export interface CredentialsOptions {
  /** The environment, which says where the file is. @default process.env */
  readonly env?: Environment | undefined
  /** Stores the tokens in place of the file. @default none: the file stores them */
  readonly keychain?: Keychain | undefined
  /** Receives a sentence, once, if the keychain fails and the file is used instead. @default none */
  readonly onNotice?: ((notice: string) => void) | undefined
}

/**
 * Opens the stored sessions of this user. It reads and writes nothing before the first call.
 *
 * @throws {Error} `ERR_SYSTEM_ERROR` if this user has no home folder and the environment names no other one.
 * @example
 * const credentials = openCredentials({ keychain: await loadKeychain() })
 * const session = await credentials.find('https://rollkey.example.com', 'acme')
 */
export function openCredentials(options: CredentialsOptions = {}): Credentials {
  return new Credentials(options)
}

/**
 * The stored sessions of this user, one per service and organization. No method changes a damaged file.
 *
 * @example
 * const credentials = openCredentials()
 * for (const { url, orgSlug } of credentials.list()) await credentials.remove(url, orgSlug)
 */
export class Credentials {
  /** Path of the file that lists the sessions and holds the tokens that no keychain holds. */
  readonly file: string
  readonly #folder: string
  readonly #tokens: TokenStore

  /** @internal `openCredentials` creates it. */
  constructor({ env = process.env, keychain, onNotice }: CredentialsOptions) {
    this.#folder = configFolder(env)
    this.file = sessionFileIn(this.#folder)
    this.#tokens = new TokenStore(keychain, onNotice)
  }

  /**
   * Lists the sessions without opening the keychain.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the file is damaged or cannot be read.
   */
  list(): SessionEntry[] {
    return readSessionFile(this.file).map(({ url, orgSlug, tokens }) => {
      return { url, orgSlug, tokensIn: tokens === 'keychain' ? 'keychain' : 'file' }
    })
  }

  /**
   * Returns the session of an organization or, without `org`, the only one at this service. Undefined if there is none.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if there are several, or if the file is damaged or cannot be read, `LOGIN_NEEDED`
   * if the keychain cannot be opened.
   */
  async find(url: string, org?: string): Promise<Session | undefined> {
    const found = readSessionFile(this.file).filter((one) => one.url === url && one.orgSlug === (org ?? one.orgSlug))
    if (found.length > 1) {
      const slugs = found.map(({ orgSlug }) => orgSlug).join(', ')
      throw new RollkeyError(
        'INVALID_SETTING',
        `There are logins to several organizations at ${url}: ${slugs}. Choose one with connect({ org }), ROLLKEY_ORG or rollkey.json.`,
      )
    }
    return found[0] && this.#tokens.take(found[0])
  }

  /**
   * Checks that a session can be stored, before a person approves one. If the keychain fails, `onNotice` says that the file is used.
   *
   * @throws {RollkeyError} The errors of `save`.
   */
  async check(): Promise<void> {
    await this.#change(async (all) => {
      await this.#tokens.check()
      return all
    })
  }

  /**
   * Stores a session, in place of one with the same key.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the file is damaged or cannot be written, `UNREACHABLE` if another process
   * holds its lock for 15 seconds.
   */
  async save(session: Session): Promise<void> {
    await this.#change(async (all) => [...others(all, session), await this.#tokens.put(session)])
  }

  /**
   * Removes a session and its tokens. One that is not stored is not an error.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the file is damaged or cannot be written, `UNREACHABLE` if another process
   * holds its lock for 15 seconds.
   */
  async remove(url: string, org: string): Promise<void> {
    const key = { url, orgSlug: org }
    await this.#change((all) => this.#without(all, key))
  }

  /**
   * Replaces `before` with `next` (undefined: removes it) if `before` is still stored, since the user may have logged in or
   * out in another process. Returns the session that is stored afterwards.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the file is damaged or cannot be written, `UNREACHABLE` if another process
   * holds its lock for 15 seconds, `LOGIN_NEEDED` if the keychain cannot be opened.
   */
  async replace(before: Session, next: Session | undefined): Promise<Session | undefined> {
    let stored = next
    await this.#change(async (all) => {
      const record = all.find((one) => isSame(one, before))
      const current = record && (await this.#tokens.take(record))
      if (current?.refreshToken !== before.refreshToken) {
        stored = current
        return all
      }
      return next ? [...others(all, next), await this.#tokens.put(next)] : this.#without(all, before)
    })
    return stored
  }

  /**
   * Runs work under the lock of a session, which all processes of this user share.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the folder cannot be written, `UNREACHABLE` if another process holds the lock
   * for 15 seconds, or the errors of the work.
   */
  whileLocked<Result>({ url, orgSlug }: SessionKey, work: () => Promise<Result>): Promise<Result> {
    // An address is not a valid file name.
    return this.#locked(`session-${hash('sha256', `${url} ${orgSlug}`).slice(0, 16)}`, work)
  }

  async #without(all: readonly SessionRecord[], key: SessionKey): Promise<SessionRecord[]> {
    for (const record of all) if (isSame(record, key)) await this.#tokens.drop(record)
    return others(all, key)
  }

  /** Changes the list. Changes run one after the other, since all sessions are in one file. */
  async #change(edit: (all: readonly SessionRecord[]) => Promise<readonly SessionRecord[]>): Promise<void> {
    await this.#locked('sessions', async () => {
      await writeFileAtomically(this.file, sessionFileOf(await edit(readSessionFile(this.file))))
    })
  }

  #locked<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return withFolderLock(this.#folder, name, work)
  }
}

function isSame(one: SessionKey, other: SessionKey): boolean {
  return one.url === other.url && one.orgSlug === other.orgSlug
}

function others(all: readonly SessionRecord[], key: SessionKey): SessionRecord[] {
  return all.filter((one) => !isSame(one, key))
}

/** Where sessions of the command line are kept: a file that lists them, and the keychain of the system or that file. */
import { hash } from 'node:crypto'
import path from 'node:path'
import type { TokenPair } from '../device.ts'
import { RollkeyError } from '../errors.ts'
import { writeFileAtomically } from './atomic-file.ts'
import { configFolder, whileLockedIn } from './config-folder.ts'
import type { Keychain } from './keychain.ts'
import { readSessionFile, sessionFileOf, type SessionRecord } from './session-file.ts'
import type { Environment } from './settings.ts'
import { TokenKeeper } from './token-keeper.ts'

/** Which session: there is one of an organization at a service. */
export interface SessionKey {
  /** As `resolveSettings` gives it. */
  readonly url: string
  readonly orgSlug: string
}

/** A session in the list, and where its tokens are. */
export interface SessionEntry extends SessionKey {
  readonly tokensIn: 'keychain' | 'file'
}

export interface Session extends SessionKey, TokenPair {
  /** Unix time in milliseconds; while a refresh is under way, and after one whose answer was lost. */
  readonly refreshStartedAtMs?: number | undefined
}

export interface CredentialsOptions {
  readonly env?: Environment | undefined
  /** Keeps the tokens, so that the file does not have them. */
  readonly keychain?: Keychain | undefined
  /** Told once, a sentence, if the keychain fails and the file is used instead. */
  readonly onNotice?: ((notice: string) => void) | undefined
}

/** The sessions of this user. Nothing is read or written before it is asked for. */
export function openCredentials(options: CredentialsOptions = {}): Credentials {
  return new Credentials(options)
}

/** Each method throws INVALID_SETTING if the file is damaged, and leaves it as it is. */
export class Credentials {
  /** Lists the sessions, and has the tokens that no keychain keeps. */
  readonly file: string
  readonly #folder: string
  readonly #tokens: TokenKeeper

  constructor({ env = process.env, keychain, onNotice }: CredentialsOptions) {
    this.#folder = configFolder(env)
    this.file = path.join(this.#folder, 'sessions.json')
    this.#tokens = new TokenKeeper(keychain, onNotice)
  }

  list(): SessionEntry[] {
    return readSessionFile(this.file).map(({ url, orgSlug, tokens }) => {
      return { url, orgSlug, tokensIn: tokens === 'keychain' ? 'keychain' : 'file' }
    })
  }

  /**
   * The session of an organization, or of the only one there is at this service. Throws INVALID_SETTING if there are
   * several, and LOGIN_NEEDED if the keychain cannot be opened.
   */
  async find(url: string, org?: string): Promise<Session | undefined> {
    const found = readSessionFile(this.file).filter((one) => one.url === url && one.orgSlug === (org ?? one.orgSlug))
    if (found.length > 1) {
      const slugs = found.map(({ orgSlug }) => orgSlug).join(', ')
      throw new RollkeyError(
        'INVALID_SETTING',
        `There are logins to several organizations at ${url}: ${slugs}. Name one by --org, ROLLKEY_ORG or rollkey.json.`,
      )
    }
    return found[0] && this.#tokens.take(found[0])
  }

  async save(session: Session): Promise<void> {
    await this.#change(async (all) => [...others(all, session), await this.#tokens.put(session)])
  }

  async remove(url: string, org: string): Promise<void> {
    const key = { url, orgSlug: org }
    await this.#change((all) => this.#without(all, key))
  }

  /**
   * Puts `next` (undefined: nothing) in the place of `before`, if that is still there: somebody may have logged in or out
   * meanwhile. Gives what is there then.
   */
  async replace(before: Session, next: Session | undefined): Promise<Session | undefined> {
    let now = next
    await this.#change(async (all) => {
      const record = all.find((one) => isSame(one, before))
      const current = record && (await this.#tokens.take(record))
      if (current?.refreshToken !== before.refreshToken) {
        now = current
        return all
      }
      return next ? [...others(all, next), await this.#tokens.put(next)] : this.#without(all, before)
    })
    return now
  }

  /** Does the work while no other process does such work for this session. */
  whileLocked<Result>({ url, orgSlug }: SessionKey, work: () => Promise<Result>): Promise<Result> {
    // An address is no file name.
    return this.#locked(`session-${hash('sha256', `${url} ${orgSlug}`).slice(0, 16)}`, work)
  }

  async #without(all: readonly SessionRecord[], key: SessionKey): Promise<SessionRecord[]> {
    for (const record of all) if (isSame(record, key)) await this.#tokens.drop(record)
    return others(all, key)
  }

  /** One change after the other, since all sessions are in one file. */
  async #change(edit: (all: readonly SessionRecord[]) => Promise<readonly SessionRecord[]>): Promise<void> {
    await this.#locked('sessions', async () => {
      await writeFileAtomically(this.file, sessionFileOf(await edit(readSessionFile(this.file))))
    })
  }

  #locked<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return whileLockedIn(this.#folder, name, work)
  }
}

function isSame(one: SessionKey, other: SessionKey): boolean {
  return one.url === other.url && one.orgSlug === other.orgSlug
}

function others(all: readonly SessionRecord[], key: SessionKey): SessionRecord[] {
  return all.filter((one) => !isSame(one, key))
}

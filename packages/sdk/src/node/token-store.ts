import { randomBytes } from 'node:crypto'
import { RollkeyError } from '../errors.ts'
import type { Session, SessionKey } from './session.ts'
import type { Keychain } from './keychain.ts'
import { parseSecrets, type SessionRecord, type SessionSecrets } from './session-file.ts'

/** Stores the tokens of sessions in the keychain, or in the session record if no keychain works. */
export class TokenStore {
  readonly #keychain: Keychain | undefined
  #onNotice: ((notice: string) => void) | undefined

  /** Creates a store that calls `onNotice` at most once. */
  constructor(keychain: Keychain | undefined, onNotice: ((notice: string) => void) | undefined) {
    this.#keychain = keychain
    this.#onNotice = onNotice
  }

  async put({ url, orgSlug, refreshStartedAtMs, ...session }: Session): Promise<SessionRecord> {
    const { accessToken, refreshToken, accessTokenExpiresAtMs, refreshTokenExpiresAtMs } = session
    const { snapshotKey = randomBytes(32).toString('base64url') } = session
    const pair = { accessToken, refreshToken, accessTokenExpiresAtMs, refreshTokenExpiresAtMs }
    const secrets: SessionSecrets = { ...pair, snapshotKey }
    const tokens = (await this.#storeInKeychain({ url, orgSlug }, JSON.stringify(secrets))) ? 'keychain' : secrets
    return { url, orgSlug, tokens, refreshStartedAtMs }
  }

  /** Stores something in the keychain and removes it, so that a notice says early if it fails. */
  async check(): Promise<void> {
    const probe = { url: 'rollkey', orgSlug: 'check' }
    if (await this.#storeInKeychain(probe, '')) await this.drop({ ...probe, tokens: 'keychain' })
  }

  /** Returns undefined if the tokens were removed from the keychain. Throws LOGIN_NEEDED if it cannot be opened. */
  async take({ tokens, ...session }: SessionRecord): Promise<Session | undefined> {
    const secrets = tokens === 'keychain' ? await this.#readFromKeychain(session) : tokens
    return secrets && { ...session, ...secrets }
  }

  async drop(record: SessionRecord): Promise<void> {
    if (record.tokens !== 'keychain') return
    try {
      await this.#keychain?.remove(accountOf(record))
    } catch (error) {
      this.#notice(
        `The tokens of ${accountOf(record)} cannot be removed from the keychain: ${(error as Error).message}.`,
      )
    }
  }

  async #storeInKeychain(key: SessionKey, secret: string): Promise<boolean> {
    if (!this.#keychain) return false
    try {
      await this.#keychain.set(accountOf(key), secret)
      return true
    } catch (error) {
      // What follows a colon is about the system's internals.
      const [reason] = (error as Error).message.split(':')
      this.#notice(`The keychain of this system cannot be used (${reason}), so tokens are stored in a file.`)
      return false
    }
  }

  async #readFromKeychain(key: SessionKey): Promise<SessionSecrets | undefined> {
    const where = `The tokens of ${accountOf(key)} are in the keychain of this system`
    if (!this.#keychain) {
      const remedy = 'Unset ROLLKEY_KEYCHAIN, install the package @napi-rs/keyring, or run rollkey login'
      throw new RollkeyError('LOGIN_NEEDED', `${where}, which is not used here. ${remedy}.`)
    }
    try {
      return parseSecrets((await this.#keychain.get(accountOf(key))) ?? '')
    } catch (error) {
      const remedy = 'Unlock it, or run rollkey login'
      throw new RollkeyError('LOGIN_NEEDED', `${where}, which fails: ${(error as Error).message}. ${remedy}.`)
    }
  }

  #notice(text: string): void {
    this.#onNotice?.(text)
    this.#onNotice = undefined
  }
}

function accountOf({ url, orgSlug }: SessionKey): string {
  return `${orgSlug} at ${url}`
}

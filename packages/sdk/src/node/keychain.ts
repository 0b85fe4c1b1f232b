import type { Environment } from './environment.ts'

/**
 * The secret storage of an operating system: Keychain (macOS), Credential Manager (Windows), Secret Service (Linux).
 *
 * @example
 * const secrets = new Map<string, string>()
 * const keychain: Keychain = {
 *   get: async (account) => secrets.get(account),
 *   set: async (account, secret) => void secrets.set(account, secret),
 *   remove: async (account) => void secrets.delete(account),
 * }
 */
export interface Keychain {
  /**
   * Returns the secret of an account, or undefined if there is none.
   *
   * @throws {Error} If the keychain is locked or missing.
   */
  get(account: string): Promise<string | undefined>
  /**
   * Stores the secret of an account.
   *
   * @throws {Error} If the keychain is locked or missing.
   */
  set(account: string, secret: string): Promise<void>
  /**
   * Removes the secret of an account.
   *
   * @throws {Error} If the keychain is locked or missing.
   */
  remove(account: string): Promise<void>
}

const service = 'rollkey'

/** Options of the keyring package. By default it would fall back to the Linux kernel's keyring, which a restart clears. */
const options = { linux: { store: 'secret-service' } } as const

/**
 * Loads the keychain of this system with the package `@napi-rs/keyring`. Returns undefined if the package is not installed
 * or with `ROLLKEY_KEYCHAIN=off`. Does not check that the keychain works. Never throws.
 *
 * @example
 * const keychain = await loadKeychain()
 */
export async function loadKeychain(env: Environment = process.env): Promise<Keychain | undefined> {
  if (env['ROLLKEY_KEYCHAIN'] === 'off') return undefined
  // The comment keeps webpack and Turbopack from failing where the package is not installed.
  const keyring = await import(/* webpackIgnore: true */ '@napi-rs/keyring').catch(() => undefined)
  if (!keyring) return undefined
  const entry = (account: string) => new keyring.AsyncEntry(service, account, options)
  return {
    get: async (account) => (await entry(account).getPassword()) ?? undefined,
    set: async (account, secret) => entry(account).setPassword(secret),
    remove: async (account) => void (await entry(account).deletePassword()),
  }
}

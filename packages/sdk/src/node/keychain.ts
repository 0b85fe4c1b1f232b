import type { Environment } from './settings.ts'

/** Where an operating system keeps secrets: Keychain (macOS), Credential Manager (Windows), Secret Service (Linux). */
export interface Keychain {
  /** Undefined if it has none. Each method throws if the keychain is locked or not there. */
  get(account: string): Promise<string | undefined>
  set(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
}

const service = 'rollkey'

/** Without it, Linux would fall back to the kernel's keyring, which forgets everything at a restart. */
const options = { linux: { store: 'secret-service' } } as const

/**
 * The keychain of this system, by the package `@napi-rs/keyring`; undefined where that is not installed, or with
 * `ROLLKEY_KEYCHAIN=off`. Whether it works is seen when it is used.
 */
export async function loadKeychain(env: Environment = process.env): Promise<Keychain | undefined> {
  if (env['ROLLKEY_KEYCHAIN'] === 'off') return undefined
  const keyring = await import('@napi-rs/keyring').catch(() => undefined)
  if (!keyring) return undefined
  const entry = (account: string) => new keyring.AsyncEntry(service, account, options)
  return {
    get: async (account) => (await entry(account).getPassword()) ?? undefined,
    set: async (account, secret) => entry(account).setPassword(secret),
    remove: async (account) => void (await entry(account).deletePassword()),
  }
}

/** Configuration, store, clock, log and public URL, which all services share. */
import type { Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config.ts'
import type { PasswordHasher } from '../identity/password-hasher.ts'
import type { Store } from './store.ts'

export interface Platform {
  readonly config: Config
  readonly log: Log
  readonly clock: Timer
  readonly store: Store
  readonly passwordHasher: PasswordHasher
  /** URL at which people reach the service, without a trailing slash. */
  readonly publicUrl: string
}

export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Returns whether only this machine can reach a server at the address. */
export function isLoopback(host: string): boolean {
  return /^(127\.|localhost$|::1$)/.test(host)
}

/** Returns the public URL. A local URL has a host name rather than an address, because passkeys need a name. */
export function publicUrlOf({ PUBLIC_URL, HOST }: Config, port: number): string {
  const isLocal = isLoopback(HOST) || ['::', '0.0.0.0'].includes(HOST)
  return PUBLIC_URL ?? originOf(isLocal ? 'localhost' : HOST, port)
}

/** What everything stands on, and where people find it. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config.ts'
import type { PasswordHasher } from '../identity/password-hasher.ts'
import type { Store } from './store.ts'

export interface Platform {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly store: Store
  readonly passwordHasher: PasswordHasher
  /** Where people reach the service, without a slash at its end. */
  readonly publicUrl: string
}

export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether only this machine reaches what listens at the address. */
export function isLoopback(host: string): boolean {
  return /^(127\.|localhost$|::1$)/.test(host)
}

/** A name rather than an address of this machine: passkeys need one. */
export function publicUrlOf({ PUBLIC_URL, HOST }: Config, port: number): string {
  const isLocal = isLoopback(HOST) || ['::', '0.0.0.0'].includes(HOST)
  return PUBLIC_URL ?? originOf(isLocal ? 'localhost' : HOST, port)
}

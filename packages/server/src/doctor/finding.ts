/** What a check of a deployment finds, and what it has to find it with. */
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Sql } from '../storage/sql.ts'

export interface Finding {
  readonly result: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do about it. */
  readonly todo?: string
}

/** A deployment, as the process of its settings meets it. */
export interface Subject {
  readonly config: Config
  readonly clock: Clock
  /** To read from; undefined: there is no store yet, or none that answers. */
  readonly sql: Sql | undefined
  /** Throws a sentence for the operator. */
  readonly openKeyring: (sql: Sql) => Promise<Keyring>
}

/** Undefined: the check does not apply here. What it throws counts as a failure. */
export type Check = (subject: Subject) => Finding | undefined | Promise<Finding | undefined>

/** By what they are called in the report. */
export type Checks = Readonly<Record<string, Check>>

export const ok = (found: string): Finding => ({ result: 'ok', found })
export const warn = (found: string, todo: string): Finding => ({ result: 'warn', found, todo })
export const fail = (found: string, todo: string): Finding => ({ result: 'fail', found, todo })

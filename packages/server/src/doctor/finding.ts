/** The types of a check of a deployment: its input and its finding. */
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { ReplicaTarget } from '../replica/target.ts'
import type { Sql } from '../storage/sql.ts'

/** The result of a check. */
export interface Finding {
  readonly result: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** The advice to the operator. */
  readonly todo?: string
}

/** The input of a check: the settings of the deployment, and its store. */
export interface CheckInput {
  readonly config: Config
  /** The address at which people reach the service. */
  readonly publicUrl: string
  readonly clock: Clock
  /** The address to which a test mail goes; undefined: none is sent. */
  readonly mailTo?: string | undefined
  /** The store, to read from; undefined if there is none yet, or it cannot be used. */
  readonly sql: Sql | undefined
  /** Why the store cannot be used, for the operator. */
  readonly storeProblem?: string | undefined
  /** Returns the replica of ROLLKEY_REPLICA_URL, or undefined if it is not set. */
  readonly openReplica: () => ReplicaTarget | undefined
  /** Opens the keyring. Throws an error whose message is shown to the operator. */
  readonly openKeyring: (sql: Sql) => Promise<Keyring>
}

/** A check. It returns undefined if it does not apply here. An error that it throws counts as a failure. */
export type Check = (subject: CheckInput) => Finding | undefined | Promise<Finding | undefined>

/** Checks by their names in the report. */
export type Checks = Readonly<Record<string, Check>>

export const ok = (found: string): Finding => ({ result: 'ok', found })
export const warn = (found: string, todo: string): Finding => ({ result: 'warn', found, todo })
export const fail = (found: string, todo: string): Finding => ({ result: 'fail', found, todo })

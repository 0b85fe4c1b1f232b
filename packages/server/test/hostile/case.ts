/** The schema of `cases.json`. Its members `about` and `placeholders` explain each part. */
import { readFileSync } from 'node:fs'

export interface Expectation {
  readonly expectStatus: number | number[]
  readonly expectCode?: string | string[] | null
  readonly check?: Readonly<Record<string, unknown>>
}

export interface Sendable {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: unknown
  readonly rawBody?: string
  readonly rawBodyBase64?: string
  readonly rawBodyGen?: {
    readonly prefix?: string
    readonly unit: string
    readonly count: number
    readonly sep?: string
    readonly middle?: string
    readonly suffixUnit?: string
    readonly suffix?: string
  }
  readonly rawHttp?: string
}

/** A step before or after the request: a complete request, or one of the short forms. */
export type Step = Partial<Sendable & Expectation> & {
  readonly get?: string
  readonly post?: string
  readonly name?: string
  readonly stage?: string
  readonly bearer?: string
  readonly refresh?: string
  readonly poll?: string
  readonly pending?: true
  readonly sessionOrg?: string
  readonly restoreMember?: true
}

export type Fixture = 'freePlan' | 'evaluationsSpent' | 'evaluationsSpentByKey' | 'storageFull'

export interface HostileCase extends Sendable, Expectation {
  readonly id: string
  readonly group: string
  readonly why: string
  readonly fixture?: Fixture
  readonly afterSec?: number
  readonly atExpiry?: true
  readonly repeat?: number
  readonly parallel?: number
  readonly before?: readonly Step[]
  readonly then?: readonly Step[]
}

export const cases = (
  JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8')) as { cases: HostileCase[] }
).cases

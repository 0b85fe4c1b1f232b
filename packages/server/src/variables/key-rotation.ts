/**
 * Rotation of data keys, while others read and write (docs/decisions/0019): projects are given other keys, and what the
 * former ones have sealed is sealed anew. No revision, time or history changes. Stopped anywhere, it goes on where it was
 * when it is repeated.
 */
import { operatorOf } from '../base/actor.ts'
import type { Clock } from '../base/clock.ts'
import { noProgress, type Progress } from '../base/progress.ts'
import { retryWhileUnavailable } from '../base/retry-while-unavailable.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { MintedKey } from '../crypto/wrapped-keys.ts'
import { appendAudit } from '../storage/audit.ts'
import { keyedProjects, retiredKeys, type KeyScope } from '../storage/keys.ts'
import { headsOf } from '../storage/revisions.ts'
import { countUnderKey } from '../storage/sealed.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { Resealing, type ResealResult } from './resealing.ts'

/** Of projects, and of states of variables, present and past. */
export interface RotationResult extends ResealResult {
  readonly rotated: number
  /** They keep their key, which is younger than an hour. */
  readonly recent: number
}

/** So long a new key is not exchanged again: a rotation that is repeated because it was stopped only seals. */
const recentMs = 60 * 60_000

export class KeyRotation {
  readonly #sql: Sql
  readonly #keyring: Keyring
  readonly #clock: Clock
  readonly #resealing: Resealing

  constructor(parts: { sql: Sql; keyring: Keyring; clock: Clock }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#clock = parts.clock
    this.#resealing = new Resealing(parts)
  }

  /** Throws CannotSeal, StoreUnavailable; what is done then stays. */
  async run(scope: KeyScope, progress: Progress = noProgress): Promise<RotationResult> {
    const projects = await keyedProjects(this.#sql, scope)
    const madeBeforeMs = this.#clock.now() - recentMs
    const due = projects.filter(({ madeAtMs }) => madeAtMs === null || madeAtMs < madeBeforeMs)
    let rotated = 0
    for (const [orgId, ofOrg] of Map.groupBy(due, (project) => project.orgId)) {
      const projectIds = ofOrg.map(({ projectId }) => projectId)
      rotated += await this.#exchange(orgId, projectIds, madeBeforeMs, scope.projectSlug)
    }
    return { rotated, recent: projects.length - rotated, ...(await this.#reseal(scope, progress)) }
  }

  /** The keys of projects of an organization in one transaction with the note of it: how many. */
  async #exchange(
    orgId: string,
    projectIds: readonly string[],
    madeBeforeMs: number,
    projectSlug: string | undefined,
  ): Promise<number> {
    const nowMs = this.#clock.now()
    const minted = new Map<string, MintedKey>()
    for (const id of projectIds) minted.set(id, await this.#keyring.mintFor(id))
    const exchange = async (tx: Tx): Promise<number> => {
      const outcomes = await Promise.all(
        [...minted].map(([id, key]) => this.#keyring.exchange(tx, id, key, { madeBeforeMs, nowMs })),
      )
      const count = outcomes.filter(Boolean).length
      const event = { action: 'key.rotate', nowMs, ...(projectSlug !== undefined && { projectSlug }) } as const
      if (count > 0) await appendAudit(tx, operatorOf(orgId), event)
      return count
    }
    const exchanged = await retryWhileUnavailable(() => this.#sql.tx(exchange))
    for (const id of projectIds) this.#keyring.forget(id)
    return exchanged
  }

  /** Everything under retired keys, of this rotation and of those that were stopped. */
  async #reseal(scope: KeyScope, progress: Progress): Promise<ResealResult> {
    const keys = await retiredKeys(this.#sql, scope)
    let total = 0
    for (const { id } of keys) total += await countUnderKey(this.#sql, id)
    const sum = { resealed: 0, unopened: 0 }
    for (const key of keys) {
      for (const { stage_id: stageId } of await headsOf(this.#sql, [key.projectId])) {
        for await (const { resealed, unopened } of this.#resealing.stage(key, stageId)) {
          sum.resealed += resealed
          sum.unopened += unopened
          progress(sum.resealed + sum.unopened, total)
        }
      }
    }
    return sum
  }
}

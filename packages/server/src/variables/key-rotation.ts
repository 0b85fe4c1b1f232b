/**
 * Rotates data keys while clients read and write (docs/decisions/0019). Projects get new keys, and everything that the former
 * keys sealed is resealed. Revisions, times and the history do not change. A rotation that was stopped continues where it
 * was when it is repeated.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { operatorActorOf } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { noProgress, type Progress } from '../base/progress.ts'
import { retryWhileUnavailable } from '../concurrency/retry-while-unavailable.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { MintedKey } from '../crypto/wrapped-keys.ts'
import { appendAudit } from '../storage/audit.ts'
import { keyedProjects, retiredKeys, type KeyScope, type RetiredKeyRow } from '../storage/keys.ts'
import { stageHeads } from '../storage/revisions.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { Resealing, type ResealResult } from './resealing.ts'

/** The counts of projects and of states of variables, present and past. */
export interface RotationResult extends ResealResult {
  readonly rotated: number
  /** Projects that keep their key because it is younger than an hour. */
  readonly recent: number
}

/** How long a new key is not replaced again, so that a repeated rotation only reseals what the stopped one left. */
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

  /** Rotates the keys of the scope. Throws CannotSeal or StoreUnavailable; completed work is kept. */
  async run(scope: KeyScope, progress: Progress = noProgress): Promise<RotationResult> {
    const projects = await keyedProjects(this.#sql, scope)
    const madeBeforeMs = this.#clock.now() - recentMs
    const due = projects.filter(({ madeAtMs }) => madeAtMs === null || madeAtMs < madeBeforeMs)
    let rotated = 0
    for (const [orgId, orgProjects] of Map.groupBy(due, (project) => project.orgId)) {
      const projectIds = orgProjects.map(({ projectId }) => projectId)
      rotated += await this.#rotate(orgId, projectIds, madeBeforeMs, scope.projectSlug)
    }
    return { rotated, recent: projects.length - rotated, ...(await this.#reseal(scope, progress)) }
  }

  /** Replaces the keys of projects of one organization and records it, in one transaction. Returns how many were replaced. */
  async #rotate(
    orgId: string,
    projectIds: readonly string[],
    madeBeforeMs: number,
    projectSlug: string | undefined,
  ): Promise<number> {
    const nowMs = this.#clock.now()
    const minted = new Map<string, MintedKey>()
    for (const id of projectIds) minted.set(id, await this.#keyring.mintFor(id))
    const rotate = async (tx: Tx): Promise<number> => {
      const outcomes = await Promise.all(
        [...minted].map(([id, key]) => this.#keyring.rotate(tx, id, key, { madeBeforeMs, nowMs })),
      )
      const count = outcomes.filter(Boolean).length
      const event = { action: 'key.rotate', nowMs, ...(projectSlug !== undefined && { projectSlug }) } as const
      if (count > 0) await appendAudit(tx, operatorActorOf(orgId), event)
      return count
    }
    const rotated = await retryWhileUnavailable(() => this.#sql.tx(rotate))
    for (const id of projectIds) this.#keyring.forget(id)
    return rotated
  }

  /** Reseals everything under retired keys, of this rotation and of stopped ones. A write may still be sealing with one that seems unused. */
  async #reseal(scope: KeyScope, progress: Progress): Promise<ResealResult> {
    const stages: { readonly key: RetiredKeyRow; readonly stageId: string }[] = []
    for (const key of await retiredKeys(this.#sql, scope)) {
      const heads = await stageHeads(this.#sql, [key.projectId])
      stages.push(...heads.map(({ stage_id: stageId }) => ({ key, stageId })))
      await nextTurn()
    }
    const sum = { resealed: 0, unopened: 0 }
    for (const [index, { key, stageId }] of stages.entries()) {
      for await (const { resealed, unopened } of this.#resealing.stage(key, stageId)) {
        sum.resealed += resealed
        sum.unopened += unopened
      }
      progress(index + 1, stages.length)
    }
    return sum
  }
}

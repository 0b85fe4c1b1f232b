/**
 * Revisions as versions: of a stage its revision, of a variable that of its last write. Values of earlier ones are opened from the
 * history, and charged as a read of the current ones is.
 */
import { compareCodePoints, limits, type Attributes } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Meter } from '../metering/meter.ts'
import { variablesAtRevision } from '../stages/past-variables.ts'
import { keyIdOfPacked, unpackVariable } from '../stages/payloads.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { revisionsOf, type PastVariableRow } from '../storage/history.ts'
import type { Reader } from '../storage/sql.ts'
import { openOrFail } from '../variables/opening.ts'
import { openValue } from '../variables/values.ts'
import { assertNotRefused, charge } from './charge.ts'
import { chooseForAnyone } from './choose.ts'
import { reserve, type EvaluationRequest } from './evaluate.ts'

export interface Version {
  readonly revision: number
  readonly writtenAtMs: number
}

/** The values of a version. */
export interface PastValues extends Version {
  readonly values: ReadonlyMap<string, string>
  /** Rolls without a value, because it depends on who asks or on chance. */
  readonly rolls: readonly string[]
}

export class Versions {
  readonly #sql: Reader
  readonly #keyring: Keyring
  readonly #meter: Meter
  readonly #log: Log
  /** A variable in memory is one written state, so its version never changes. */
  readonly #known = new WeakMap<StoredVariable, number>()

  constructor(parts: { sql: Reader; keyring: Keyring; meter: Meter; log: Log }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#meter = parts.meter
    this.#log = parts.log
  }

  /** Returns the revision of the last write of a variable of the stage, whose state must be stored already. */
  async of({ stageId, revision }: Stage, variable: StoredVariable): Promise<number> {
    const known = this.#known.get(variable)
    if (known !== undefined) return known
    const [row] = await revisionsOf(this.#sql, stageId, { name: variable.name, upTo: revision }, 1)
    const found = row?.revision ?? revision
    this.#known.set(variable, found)
    return found
  }

  /** Returns the newest kept versions of the stage, or of a variable of it, the newest first. */
  async list({ stageId, revision }: Stage, name?: string): Promise<Version[]> {
    const rows = await revisionsOf(this.#sql, stageId, { name, upTo: revision }, limits.historyChanges)
    return rows.map((row) => ({ revision: row.revision, writtenAtMs: row.written_at_ms }))
  }

  /**
   * Returns the values of the stage at a version, or that of one variable, in one billing event. Returns undefined, and charges nothing,
   * if the history does not have that version. Throws ApiError or StaleRead.
   */
  async read(
    stage: Stage,
    version: number,
    name: string | undefined,
    request: EvaluationRequest,
  ): Promise<PastValues | undefined> {
    if (version > stage.revision) return undefined
    const [written] = await revisionsOf(this.#sql, stage.stageId, { name, upTo: version }, 1)
    // A variable has a version only where it was written, and a stage none before its first write.
    if (!written || (name !== undefined && written.revision !== version)) return undefined
    const past = await variablesAtRevision(this.#sql, stage, version, name === undefined ? undefined : [name])
    if (typeof past === 'number' || (name !== undefined && past.size === 0)) return undefined
    const rows = [...past.values()].toSorted((a, b) => compareCodePoints(a.name, b.name))
    await reserve(
      rows.reduce((sum, { sealed }) => sum + sealed.length, 0),
      request,
    )
    const opened = await this.#open(stage, rows)
    const result = { ...opened, revision: version, writtenAtMs: written.written_at_ms }
    // A roll alone is refused, so nothing was read.
    if (name !== undefined && opened.rolls.length > 0) return result
    assertNotRefused(await charge(this.#meter, stage, request))
    return result
  }

  /** Throws EVALUATION_FAILED. */
  async #open(stage: Stage, rows: readonly PastVariableRow[]): Promise<Pick<PastValues, 'values' | 'rolls'>> {
    const { orgId, projectId, stageId } = stage
    const keyIds = rows.map(({ sealed }) => keyIdOfPacked(sealed))
    const sealer = await this.#keyring.sealerOf({ orgId, projectId, stageId }, keyIds)
    const values = new Map<string, string>()
    const rolls: string[] = []
    const slices = new TimeSlices()
    for (const { name, kind, facets, sealed } of rows) {
      const choice = chooseForAnyone({ name, kind, attributes: JSON.parse(facets) as Attributes })
      if (!choice) rolls.push(name)
      else {
        const variable = { name, kind, ...unpackVariable(kind, sealed) }
        values.set(
          name,
          openOrFail(stage, this.#log, () => openValue(sealer, variable, choice.index).toString()),
        )
      }
      if (slices.isOver) await slices.next()
    }
    return { values, rolls }
  }
}

/**
 * The rolls of an organization, with how often their values were served: by day, because a sum over the hours of 30 days took 30 times as
 * long.
 */
import { compareCodePoints, fitOf, type Attributes, type Request, type Response } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { IsVisible } from '../stages/projects.ts'
import * as store from '../storage/rolls.ts'
import type { RollRow, ServedRow } from '../storage/rolls.ts'
import type { Reader } from '../storage/sql.ts'
import { stagesOf, type StagePlace } from '../storage/stages.ts'
import { chanceIn, ChanceHistory } from './chance-history.ts'

type Roll = Response<'rolls'>['rolls'][number]
type Place = Pick<Roll, 'projectSlug' | 'stageSlug' | 'name'>
type StageOfRoll = Omit<Place, 'name'>
type ListedStage = StagePlace & StageOfRoll
type PlacedRoll = RollRow & StageOfRoll

const msPerHour = 3_600_000
const msPerDay = 24 * msPerHour
/** Number of UTC days over which `served` counts. */
const servedDays = 30
/** How many states of a roll are read with those of others. They show since when most rolls have their chance. */
const statesPerRoll = 8
/** Stages whose rolls one statement returns. */
const stagesPerStatement = 8
/** Rolls whose counts one statement sums. With more, others would wait for it for milliseconds. */
const rollsPerStatement = 32
/** Later than any count. */
const never = Number.MAX_SAFE_INTEGER

export class Rolls {
  readonly #sql: Reader
  readonly #clock: Clock

  constructor(sql: Reader, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Returns the visible rolls of the organization in wire order. */
  async list(
    orgId: string,
    { after, limit }: Pick<Request<'rolls'>, 'after' | 'limit'>,
    isVisible: IsVisible,
  ): Promise<Response<'rolls'>> {
    const found: PlacedRoll[] = []
    const slices = new TimeSlices()
    for await (const rolls of this.#visible(orgId, isVisible, slices, after)) {
      found.push(...rolls)
      if (found.length > limit) break
    }
    return { rolls: await this.#counted(found.slice(0, limit), slices), more: found.length > limit }
  }

  /** Returns the visible rolls whose served split deviates from their chance, in wire order. */
  async misfits(orgId: string, isVisible: IsVisible): Promise<Roll[]> {
    const misfits: Roll[] = []
    const slices = new TimeSlices()
    for await (const visible of this.#visible(orgId, isVisible, slices)) {
      // A rotation misfits by design: some readers get only the old value.
      const rolls = visible.filter(({ facets }) => !(JSON.parse(facets) as Attributes).rotating)
      for (const each of await this.#counted(rolls, slices))
        if (fitOf([{ ...each.sinceChance, chance: each.chance }]).verdict === 'differs') misfits.push(each)
    }
    return misfits
  }

  /** Yields the visible rolls after a place in wire order, those of a few stages at a time. */
  async *#visible(
    orgId: string,
    isVisible: IsVisible,
    slices: TimeSlices,
    after?: Place,
  ): AsyncGenerator<readonly PlacedRoll[]> {
    const stages = stagesFrom(await stagesOf(this.#sql, orgId), after).filter((stage) => isVisible(stage))
    const isLeft = (roll: PlacedRoll): boolean =>
      !after || !isSameStage(roll, after) || compareCodePoints(roll.name, after.name) > 0
    for (let from = 0; from < stages.length; from += stagesPerStatement) {
      if (slices.isOver) await slices.next()
      const some = stages.slice(from, from + stagesPerStatement)
      const ids = some.map(({ stage_id: id }) => id)
      const byStage = Map.groupBy(await store.rollsOf(this.#sql, ids), ({ stage_id: stageId }) => stageId)
      yield some.flatMap(({ stage_id: id, projectSlug, stageSlug }) =>
        (byStage.get(id) ?? [])
          .map((row) => ({ ...row, projectSlug, stageSlug }))
          .filter(isLeft)
          .toSorted((a, b) => compareCodePoints(a.name, b.name)),
      )
    }
  }

  /** Returns the rolls with their counts. */
  async #counted(rows: readonly PlacedRoll[], slices: TimeSlices): Promise<Roll[]> {
    const rolls: Roll[] = []
    for (let from = 0; from < rows.length; from += rollsPerStatement) {
      if (slices.isOver) await slices.next()
      rolls.push(...(await this.#countedAtOnce(rows.slice(from, from + rollsPerStatement), slices)))
    }
    return rolls
  }

  /** Returns up to `rollsPerStatement` rolls with their counts. */
  async #countedAtOnce(rows: readonly PlacedRoll[], slices: TimeSlices): Promise<Roll[]> {
    const ids = rows.map(({ stage_id: stageId, name }) => ({ stageId, name }))
    const latest = Map.groupBy(await store.rollHistory(this.#sql, ids, statesPerRoll), keyOf)
    const nowMs = this.#clock.now()
    const servedFromMs = nowMs - (nowMs % msPerDay) - (servedDays - 1) * msPerDay
    const periods: ({ readonly row: PlacedRoll } & ChancePeriod)[] = []
    for (const row of rows) {
      const states = latest.get(keyOf(row)) ?? []
      const isEnough = (history: ChanceHistory): boolean => states.length < statesPerRoll || history.hasStart
      const id = { stageId: row.stage_id, name: row.name }
      const history = await ChanceHistory.read(this.#sql, id, isEnough, { latest: states, slices })
      periods.push({ row, ...chancePeriodOf(row, history) })
    }
    const spans = (bounds: (index: number) => { fromMs: number; toMs: number }) =>
      ids.map((id, index) => ({ ...id, ...bounds(index) }))
    const hourOf = (index: number): number => periods[index]?.firstHourMs ?? never
    const dayOf = (index: number): number => Math.ceil(hourOf(index) / msPerDay) * msPerDay
    if (slices.isOver) await slices.next()
    const [served, days, hours] = await Promise.all([
      store.servedInDays(
        this.#sql,
        'all',
        spans(() => ({ fromMs: servedFromMs, toMs: never })),
      ),
      store.servedInDays(
        this.#sql,
        'chance',
        spans((index) => ({ fromMs: dayOf(index), toMs: never })),
      ),
      store.servedInHours(
        this.#sql,
        'chance',
        spans((index) => ({ fromMs: hourOf(index), toMs: dayOf(index) })),
      ),
    ])
    const [servedBy, sinceBy] = [sumsOf(served), sumsOf([...days, ...hours])]
    return periods.map(({ row, chanceSinceMs }) => ({
      projectSlug: row.projectSlug,
      stageSlug: row.stageSlug,
      name: row.name,
      declaredType: row.declared_type ?? undefined,
      ...settingsIn(row.facets),
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
      chanceSinceMs,
      served: servedBy(row),
      sinceChance: sinceBy(row),
    }))
  }
}

/**
 * Returns the stages from a place on that are not archived, in wire order. If the stage of the place does not exist anymore, its project
 * begins again: rolls may then be repeated, but none is skipped.
 */
function stagesFrom(rows: readonly StagePlace[], after: Place | undefined): ListedStage[] {
  const stages = rows
    .map((row) => ({ ...row, projectSlug: row.project_slug, stageSlug: row.stage_slug }))
    .toSorted((a, b) => compareCodePoints(a.projectSlug, b.projectSlug))
  const at = after ? stages.findIndex((stage) => isSameStage(stage, after)) : 0
  const isLeft = ({ projectSlug }: ListedStage, index: number): boolean =>
    at >= 0 ? index >= at : !after || compareCodePoints(projectSlug, after.projectSlug) >= 0
  return stages.filter((stage, index) => isLeft(stage, index) && stage.is_archived === 0)
}

function isSameStage(a: StageOfRoll, b: StageOfRoll): boolean {
  return a.projectSlug === b.projectSlug && a.stageSlug === b.stageSlug
}

/** Returns how a roll decides. Rules may be large, so a list has only their number. */
function settingsIn(facets: string): Pick<Roll, 'chance' | 'labels' | 'pinned' | 'ruleCount'> {
  const { chance = 0, labels, pinned, rules } = JSON.parse(facets) as Attributes
  return { chance, labels, pinned, ruleCount: rules?.length }
}

/** Since when a roll has its chance, and the first hour that had no other. */
interface ChancePeriod {
  readonly chanceSinceMs: number
  readonly firstHourMs: number
}

function chancePeriodOf(row: RollRow, chances: ChanceHistory): ChancePeriod {
  const chanceSinceMs = chances.sinceMs ?? row.updated_at_ms
  const hourMs = chanceSinceMs - (chanceSinceMs % msPerHour)
  const isWhole = chances.inHour(hourMs) === chanceIn(row.facets)
  return { chanceSinceMs, firstHourMs: isWhole ? hourMs : hourMs + msPerHour }
}

/** Returns a function that returns the sum of the rows of a roll. */
function sumsOf(rows: readonly ServedRow[]): (roll: RollRow) => Roll['served'] {
  const byRoll = Map.groupBy(rows, keyOf)
  return (roll) => {
    const served = { a: 0, b: 0 }
    for (const { a, b } of byRoll.get(keyOf(roll)) ?? []) {
      served.a += a
      served.b += b
    }
    return served
  }
}

/** Returns a key of a roll. Ids of stages have no spaces. */
function keyOf({ stage_id: stageId, name }: Pick<RollRow, 'stage_id' | 'name'>): string {
  return `${stageId} ${name}`
}

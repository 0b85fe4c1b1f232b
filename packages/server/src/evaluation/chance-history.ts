/** The chances that a roll had, by its history. */
import type { Attributes } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { attributeHistory, type AttributesRow } from '../storage/history.ts'
import type { RollId } from '../storage/rolls.ts'
import type { Reader } from '../storage/sql.ts'

const msPerHour = 3_600_000
/** Maximum states that a statement reads. */
const statesPerPage = 500

/** A time in which a roll had one chance; undefined: it did not exist. */
interface Period {
  readonly chance: number | undefined
  fromMs: number
}

export class ChanceHistory {
  /** The latest first. */
  readonly #periods: Period[] = []
  #oldest: AttributesRow | undefined

  /** Reads the history of a roll from its latest states on, of which some may be known, until it reaches back far enough. */
  static async read(
    sql: Reader,
    { stageId, name }: RollId,
    isEnough: (history: ChanceHistory) => boolean,
    { latest = [], slices = new TimeSlices() }: { latest?: readonly AttributesRow[]; slices?: TimeSlices } = {},
  ): Promise<ChanceHistory> {
    const history = new ChanceHistory()
    history.#add(latest.toSorted((a, b) => b.revision - a.revision))
    while (!isEnough(history)) {
      if (slices.isOver) await slices.next()
      const before = history.#oldest?.revision
      const page = await attributeHistory(sql, stageId, name, { before, max: statesPerPage })
      history.#add(page)
      if (page.length < statesPerPage) break
    }
    return history
  }

  /** Adds older states, the newest first. */
  #add(states: readonly AttributesRow[]): void {
    for (const { facets, written_at_ms: fromMs } of states) {
      const chance = chanceIn(facets)
      const next = this.#periods.at(-1)
      if (next?.chance === chance && next) next.fromMs = fromMs
      else this.#periods.push({ chance, fromMs })
    }
    this.#oldest = states.at(-1) ?? this.#oldest
  }

  /** Returns whether all states since a time are known. */
  reaches(fromMs: number): boolean {
    return this.#oldest !== undefined && this.#oldest.written_at_ms <= fromMs
  }

  /** Whether all states are known since the hour in which the roll got the chance that it has at last. */
  get hasStart(): boolean {
    const [period, before] = this.#periods
    return period !== undefined && before !== undefined && this.reaches(period.fromMs - (period.fromMs % msPerHour))
  }

  /** Returns the chance in an hour, or undefined if it had several chances or is older than the history. */
  inHour(hourMs: number): number | undefined {
    const last = this.#periods.findIndex(({ fromMs }) => fromMs <= hourMs)
    const since = last < 0 ? this.#periods : this.#periods.slice(0, last + 1)
    const chances = new Set(since.filter(({ fromMs }) => fromMs < hourMs + msPerHour).map(({ chance }) => chance))
    chances.delete(undefined)
    return chances.size === 1 ? [...chances][0] : undefined
  }

  /** The first time from which on the chance is known to be what it is at last; undefined without history. */
  get sinceMs(): number | undefined {
    return this.#periods[0]?.fromMs
  }
}

/** Returns the chance in the attributes, given as JSON text. */
export function chanceIn(facets: string | null): number | undefined {
  return (JSON.parse(facets ?? '{}') as Attributes).chance
}

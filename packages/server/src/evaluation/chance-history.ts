/** The chances that a roll had, by its history. */
import type { Attributes } from '@rollkey/contract'

const msPerHour = 3_600_000

/** A state of a roll in the history. `facets` are its attributes as JSON text, null if it was deleted. */
interface ChanceRow {
  readonly facets: string | null
  readonly written_at_ms: number
  readonly revision: number
}

export class ChanceHistory {
  /** The earliest first. */
  readonly #states: readonly { readonly chance: number | undefined; readonly fromMs: number }[]

  constructor(rows: readonly ChanceRow[]) {
    this.#states = rows
      .toSorted((a, b) => a.revision - b.revision)
      .map(({ facets, written_at_ms: fromMs }) => ({ chance: chanceIn(facets), fromMs }))
  }

  /** Returns the chance in an hour, or undefined if it had several chances or is older than the history. */
  inHour(hourMs: number): number | undefined {
    const first = this.#states.findLastIndex(({ fromMs }) => fromMs <= hourMs)
    const inHour = this.#states.slice(Math.max(0, first)).filter(({ fromMs }) => fromMs < hourMs + msPerHour)
    const chances = new Set(inHour.map(({ chance }) => chance))
    chances.delete(undefined)
    return chances.size === 1 ? [...chances][0] : undefined
  }

  /** Returns the first time from which on the chance is known to be what it is at last, or undefined without history. */
  get sinceMs(): number | undefined {
    const last = this.#states.at(-1)
    const before = this.#states.findLastIndex(({ chance }) => chance !== last?.chance)
    return this.#states[before + 1]?.fromMs
  }
}

/** Returns the chance in the attributes, given as JSON text. */
export function chanceIn(facets: string | null): number | undefined {
  return (JSON.parse(facets ?? '{}') as Attributes).chance
}

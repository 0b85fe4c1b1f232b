/** A part of the bench: its input and its result. */
import type { Plot } from './plot.ts'
import type { Scenario } from './scenarios.ts'
import type { Plan } from './spell.ts'
import type { StoreName, Stores } from './stores.ts'

export interface Context {
  readonly stores: Stores
  readonly storeNames: readonly StoreName[]
  /** Scenarios that the command line names, or the part's own. */
  readonly scenarios: (usual: readonly string[]) => Scenario[]
  /** Attacks that the command line names, or all. */
  readonly attacks: (usual: readonly string[]) => string[]
  /** The part's own plan with the command line's options. */
  readonly plan: (usual: Plan) => Plan
  /** Number of connections, if the command line sets it. */
  readonly connections: number | undefined
  /** How long the endurance of a part takes, if the command line asks for one. */
  readonly minutes: number | undefined
  /** Whether the bare server stringifies each answer. */
  readonly serializes: boolean
  /** Maximum processor time relative to another checkout, if the command line sets it. */
  readonly limit: number | undefined
  /** Shows the current step. */
  readonly tell: (what: string) => void
}

export interface Aim {
  readonly what: string
  /** Bound as text, such as `≥ 0.55`. */
  readonly bound: string
  readonly figure: string
  readonly isMet: boolean
}

export interface Section {
  readonly title: string
  readonly how: string
  readonly headings: readonly string[]
  /** Number of leading text columns. The columns after them are figures. */
  readonly textColumns: number
  readonly rows: readonly (readonly string[])[]
  readonly aims: readonly Aim[]
  readonly notes: readonly string[]
  /** Faults that make the figures void. */
  readonly faults: readonly string[]
  readonly plot?: Plot
}

/** A section for RESULTS.md. */
export interface Result {
  /** Machine and day of the measurement. */
  readonly machine: string
  readonly section: Section
}

export interface Part {
  readonly name: string
  run(context: Context): Promise<Section>
}

export function atLeast(what: string, figure: number, bound: number): Aim {
  return { what, bound: `≥ ${bound}`, figure: figure.toFixed(2), isMet: figure >= bound }
}

export function below(what: string, figure: number, bound: number, unit = ''): Aim {
  return { what, bound: `< ${bound}${unit}`, figure: `${Number(figure.toPrecision(2))}${unit}`, isMet: figure < bound }
}

export function atMost(what: string, figure: number, bound: number, unit = ''): Aim {
  return {
    what,
    bound: `≤ ${bound}${unit}`,
    figure: `${figure.toFixed(bound < 10 ? 2 : 0)}${unit}`,
    isMet: figure <= bound,
  }
}

export function aimText(aim: Aim | undefined): string {
  return aim ? `${aim.bound} ${aim.isMet ? '✓' : '✗'}` : ''
}

/** A part of the bench: what it is given, and what it has to tell. */
import type { Plot } from './plot.ts'
import type { Scenario } from './scenarios.ts'
import type { Plan } from './spell.ts'
import type { StoreName, Stores } from './stores.ts'

export interface Context {
  readonly stores: Stores
  readonly storeNames: readonly StoreName[]
  /** Those that the command line names, else the part's own. */
  readonly scenarios: (usual: readonly string[]) => Scenario[]
  /** Those that the command line names, else all. */
  readonly attacks: (usual: readonly string[]) => string[]
  /** The part's own plan, but for what the command line says. */
  readonly plan: (usual: Plan) => Plan
  /** What the command line says, if it does. */
  readonly connections: number | undefined
  /** Shows what is under way. */
  readonly tell: (what: string) => void
}

export interface Aim {
  readonly what: string
  /** Such as `≥ 0.55`. */
  readonly bound: string
  readonly figure: string
  readonly isMet: boolean
}

export interface Section {
  readonly title: string
  readonly how: string
  readonly headings: readonly string[]
  /** Columns of text; those after them are figures. */
  readonly textColumns: number
  readonly rows: readonly (readonly string[])[]
  readonly aims: readonly Aim[]
  readonly notes: readonly string[]
  /** What makes the figures void. */
  readonly faults: readonly string[]
  readonly plot?: Plot
}

export interface Part {
  readonly name: string
  run(context: Context): Promise<Section>
}

export function atLeast(what: string, figure: number, bound: number): Aim {
  return { what, bound: `≥ ${bound}`, figure: figure.toFixed(2), isMet: figure >= bound }
}

export function below(what: string, figure: number, bound: number, unit = ''): Aim {
  return { what, bound: `< ${bound}${unit}`, figure: `${figure.toPrecision(2)}${unit}`, isMet: figure < bound }
}

export function aimText(aim: Aim | undefined): string {
  return aim ? `${aim.bound} ${aim.isMet ? '✓' : '✗'}` : ''
}

/** What the steps of a plan do to the chance that is there. */
import { dueStep, type RampStep } from '@rollkey/contract/rules'

export interface ChanceMove extends RampStep {
  /** The chance that the step replaces; undefined: unknown. */
  readonly from: number | undefined
}

/** Returns steps with the chances that they replace. `present`: the chance before the first one; undefined: unknown. */
export function movesOf(steps: readonly RampStep[], present: number | undefined): readonly ChanceMove[] {
  return steps.map((step, at) => ({ ...step, from: at === 0 ? present : steps[at - 1]?.chance }))
}

/** Returns the first move that lowers the chance; undefined: none. */
export function fallOf(moves: readonly ChanceMove[]): ChanceMove | undefined {
  return moves.find(({ from = 0, chance }) => chance < from)
}

/** Returns the steps that a plan takes if it begins now: of those that are due, only the latest, at once. */
export function stepsAhead(steps: readonly RampStep[], nowMs: number): readonly RampStep[] {
  return steps.slice(dueStep(steps, 0, nowMs) ?? 0).map(({ atMs, chance }) => ({ atMs: Math.max(atMs, nowMs), chance }))
}

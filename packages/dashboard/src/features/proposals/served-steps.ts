/** What a rollout served by chance alone at each of its steps. */
import type { RampStep, ServedCounts } from '@rollkey/contract/rules'
import type { Hour } from '../../data/rolls/served.ts'

export const hourMs = 3_600_000

/** Returns the counts of each step that is done. An hour belongs to a step if no other chance was in it. */
export function servedBySteps(
  steps: readonly RampStep[],
  done: number,
  hours: readonly Hour[],
): readonly ServedCounts[] {
  return steps.slice(0, done).map(({ atMs, chance }, at) => {
    const endMs = at + 1 < done ? (steps[at + 1]?.atMs ?? Infinity) : Infinity
    const ofStep = hours.filter((hour) => hour.fromMs > atMs - hourMs && hour.fromMs < endMs && hour.chance === chance)
    return {
      a: sum(ofStep.map((hour) => byChance(hour, 'a'))),
      b: sum(ofStep.map((hour) => byChance(hour, 'b'))),
    }
  })
}

function byChance({ pins, rules, ...all }: Hour, side: 'a' | 'b'): number {
  return all[side] - (pins?.[side] ?? 0) - (rules?.[side] ?? 0)
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}

import { delayedSteps, type RampStep } from '@rollkey/contract'
import type { ChangeRow } from '../storage/changes.ts'
import { contentOf, type Guard } from './content.ts'

/** Where a ramp is. */
export interface Progress {
  /** Name of the roll. */
  readonly name: string
  /** Its steps at the times to which pauses have moved them. */
  readonly steps: readonly RampStep[]
  readonly guard: Guard | undefined
  readonly zone: string
  /** How many steps are written or skipped. */
  readonly done: number
}

export function progressOf(row: ChangeRow): Progress {
  const { items, steps = [], guard, notOn } = contentOf(row)
  const zone = row.zone ?? 'UTC'
  return {
    name: items[0]?.name ?? '',
    steps: delayedSteps(steps, row.delay_days, zone, notOn),
    guard,
    zone,
    done: row.steps_done,
  }
}

/** What decides a roll. */
import { endedSide, type PinCounts } from '@rollkey/contract/rules'

/** What decides a roll, with the number of its rules. */
export interface Targeting {
  readonly chance: number
  readonly pinned?: PinCounts | undefined
  readonly ruleCount?: number | undefined
}

/** Returns the side that everyone gets; undefined where pins, rules or the chance give some users the other one. */
export function sideOfAll({ chance, pinned, ruleCount = 0 }: Targeting): 'a' | 'b' | undefined {
  return ruleCount > 0 ? undefined : endedSide({ kind: 'ab_roll', chance, pinned })
}

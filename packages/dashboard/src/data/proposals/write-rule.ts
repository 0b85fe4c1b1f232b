/** Whether a stage takes direct writes now, or only proposals, by what its protection requires. */
import type { Stage } from '@rollkey/sdk/core'
import { freezeEndMs } from '@rollkey/contract/rules'
import { requiredApprovals } from './queries.ts'

export interface WriteRule {
  /** Number of people who must approve. 0: none. */
  readonly approvals: number
  /** End of the freeze of the stage. Undefined: it is not frozen. */
  readonly frozenUntilMs: number | undefined
  /** Whether a write is proposed, and applied later. */
  readonly isProposed: boolean
}

/** Returns how a stage takes writes at an instant. */
export function writeRuleOf(stage: Pick<Stage, 'protection'>, nowMs: number): WriteRule {
  const approvals = requiredApprovals(stage)
  const frozenUntilMs = freezeEndMs(stage.protection?.freezes ?? [], nowMs)
  return { approvals, frozenUntilMs, isProposed: approvals > 0 || frozenUntilMs !== undefined }
}

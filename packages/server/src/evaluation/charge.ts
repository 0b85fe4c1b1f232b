/** Charges an evaluation to the plan of its organization. */
import { ApiError } from '../base/api-error.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import type { ChargeResult, Meter, UsageEvent } from '../metering/meter.ts'
import type { Stage } from '../stages/stages.ts'

/** What of a request its charge depends on. */
interface ChargedRequest {
  readonly usage: UsageEvent
  readonly reads: ReadSet
}

/** Charges the event. Throws StaleRead or StoreUnavailable. */
export function charge(
  meter: Meter,
  { orgId, projectId, stageId }: Stage,
  { usage, reads }: ChargedRequest,
): Promise<ChargeResult> {
  const { caller, how, requestKey } = usage
  return meter.charge({ orgId, projectId, stageId, caller, how, requestKey }, reads)
}

/** Throws USAGE_LIMIT_EXCEEDED if the plan has no evaluations left. */
export function assertNotRefused(result: ChargeResult): void {
  if (result !== 'refused') return
  throw new ApiError(
    'USAGE_LIMIT_EXCEEDED',
    "This month's evaluations of the plan are used up: wait until next month, or change the plan.",
  )
}

import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { CannotOpen, CannotSeal } from '../crypto/seal.ts'
import type { Stage } from '../stages/stages.ts'

/** Runs a function that opens values of a stage. Throws EVALUATION_FAILED if one does not open, and logs the reason. */
export function openOrFail<T>(stage: Stage, log: Log, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof CannotOpen || error instanceof CannotSeal)) throw error
    logUnopened(log, stage, error)
    throw new ApiError('EVALUATION_FAILED')
  }
}

/** Returns the result of `open`, or undefined if the value does not open. `onFailure` receives the error. */
export function undefinedIfCannotOpen<T>(
  open: () => T,
  onFailure: (error: CannotOpen) => void = () => {},
): T | undefined {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    onFailure(error)
    return undefined
  }
}

/** Receives the failure of one value of many. */
export type OnFailure = (error: CannotOpen) => void

/**
 * Runs a function that opens many values and passes each failure to `onFailure`. Logs one line for all failures, because there
 * may be thousands if a key is lost.
 */
export async function loggingFailures<T>(
  stage: Stage,
  log: Log,
  open: (onFailure: OnFailure) => Promise<T> | T,
): Promise<T> {
  const failures: CannotOpen[] = []
  const result = await open((error) => failures.push(error))
  const [first] = failures
  if (first) logUnopened(log, stage, first)
  return result
}

function logUnopened(log: Log, { stageId }: Stage, error: CannotOpen | CannotSeal): void {
  log.error('stored value cannot be opened', { stageId, reason: reasonOf(error) })
}

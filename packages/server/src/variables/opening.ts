import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { CannotOpen, CannotSeal } from '../crypto/seal.ts'
import type { Stage } from './stages.ts'

/** Runs what opens values of a stage. Throws EVALUATION_FAILED for one that does not open; the log has the reason. */
export function opening<T>(stage: Stage, log: Log, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof CannotOpen || error instanceof CannotSeal)) throw error
    logUnopened(log, stage, error)
    throw new ApiError('EVALUATION_FAILED')
  }
}

/** What `open` gives, or undefined for a value that does not open: `onFailure` is told. */
export function openedOrNot<T>(open: () => T, onFailure: (error: CannotOpen) => void = () => {}): T | undefined {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    onFailure(error)
    return undefined
  }
}

export function logUnopened(log: Log, { stageId }: Stage, error: CannotOpen | CannotSeal): void {
  log.error('a stored value cannot be opened', { stageId, reason: reasonOf(error) })
}

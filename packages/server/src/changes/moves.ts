/** Whether a change can be moved: edited, approved, applied, paused and so on. */
import { canMove, type ChangeMove } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { ChangeRow } from '../storage/changes.ts'

/** Throws CHANGE_CONFLICT unless the change can be moved and has the digest. */
export function assertMovable(row: ChangeRow, move: ChangeMove, digest: string | undefined): void {
  if (!canMove(row.state, move)) throw stateError(row)
  if (digest !== undefined && row.digest !== digest) throw editedError()
}

export function editedError(): ApiError {
  return new ApiError('CHANGE_CONFLICT', 'The change was edited since you saw it: show it again, then decide.')
}

/** Returns the refusal for a change in its state. */
export function stateError(row: ChangeRow | undefined): ApiError {
  return new ApiError(
    'CHANGE_CONFLICT',
    `The change is ${row?.state ?? 'gone'}, which does not allow this: show it again, or propose another.`,
  )
}

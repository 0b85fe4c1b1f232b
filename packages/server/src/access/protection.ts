/** Refuses writes that a protected stage does not take at this moment (docs/change.md). */
import { freezeEndMs, isStop, type Place, type Protection, type RollWrite } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { nameOf } from './forbidden.ts'
import type { Permissions } from './permissions.ts'

/** Throws STAGE_FROZEN in a freeze of the stage. */
export function assertNotFrozen(place: Place, { freezes }: Protection, nowMs: number): void {
  const endMs = freezeEndMs(freezes, nowMs)
  if (endMs === undefined) return
  throw new ApiError(
    'STAGE_FROZEN',
    `${capitalized(nameOf(place))} is frozen until ${new Date(endMs).toISOString()}: wait until then, or propose the change now and apply it later.`,
  )
}

/**
 * Throws STAGE_FROZEN or APPROVAL_REQUIRED unless the stage takes a direct write. It takes one that stops a roll from everyone who has
 * the verb for it.
 */
export function assertTakesDirectWrite(permissions: Permissions, place: Place, write: RollWrite, nowMs: number): void {
  const protection = permissions.policy.protectionOf(place)
  if (isStop(write) && permissions.allows(protection.stopVerb, place)) return
  assertNotFrozen(place, protection, nowMs)
  if (protection.approvals === 0) return
  throw new ApiError(
    'APPROVAL_REQUIRED',
    `Changes of ${nameOf(place)} need ${protection.approvals === 1 ? 'an approval' : `${protection.approvals} approvals`}: propose the change, and ask someone with "approve" there to review it.`,
  )
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Refuses writes that a protected stage does not take at this moment (docs/change.md). */
import { freezeEndMs, isStop, type Place, type Protection, type RollWrite, type Verb } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { nameOf } from '../base/place-name.ts'
import type { Permissions } from './permissions.ts'
import type { Policy } from './policy.ts'

/** Throws STAGE_FROZEN in a freeze of the stage. */
export function assertNotFrozen(
  place: Place,
  { freezes }: Protection,
  nowMs: number,
  advice = 'wait until then, or propose the change now and apply it later',
): void {
  const endMs = freezeEndMs(freezes, nowMs)
  if (endMs === undefined) return
  throw new ApiError(
    'STAGE_FROZEN',
    `${capitalized(nameOf(place))} is frozen until ${new Date(endMs).toISOString()}: ${advice}.`,
  )
}

/**
 * Throws STAGE_FROZEN or APPROVAL_REQUIRED unless the stage takes a direct write. It takes one that only stops rolls from everyone who
 * has the verb for it. `updates` is what changes without values; empty: the write is another one.
 */
export function assertTakesDirectWrite(
  permissions: Permissions,
  place: Place,
  updates: readonly RollWrite[],
  nowMs: number,
): void {
  const protection = permissions.policy.protectionOf(place)
  const onlyStops = updates.length > 0 && updates.every(isStop)
  if (onlyStops && permissions.allows(protection.stopVerb, place)) return
  assertNotFrozen(place, protection, nowMs)
  if (protection.approvals === 0) return
  throw new ApiError(
    'APPROVAL_REQUIRED',
    `Changes of ${nameOf(place)} need ${protection.approvals === 1 ? 'an approval' : `${protection.approvals} approvals`}: propose the change, and ask someone with "approve" there to review it.`,
  )
}

/**
 * Throws what `refuse` returns, STAGE_FROZEN or APPROVAL_REQUIRED unless the caller may archive or restore a stage and set its production
 * mark, which are writes of a protected stage (docs/change.md).
 */
export function assertMayArchive(
  permissions: Permissions,
  place: Place,
  nowMs: number,
  refuse: (verb: Verb, place: Place) => ApiError,
): void {
  if (!permissions.policy.isProtected(place)) return
  if (!permissions.allows('write', place)) throw refuse('write', place)
  const protection = permissions.policy.protectionOf(place)
  assertNotFrozen(place, protection, nowMs, 'wait until then')
  if (protection.approvals === 0) return
  throw new ApiError(
    'APPROVAL_REQUIRED',
    `Changes of ${nameOf(place)} need an approval, which its archive and its production mark cannot get: ask someone with "manage" there to end the protection first.`,
  )
}

/** Returns whether a new order of the stages of a project moves a protected one to the other side of another stage. */
export function movesProtected(
  policy: Policy,
  projectSlug: string,
  before: readonly string[],
  after: readonly string[],
) {
  const placeIn = new Map(after.map((slug, index) => [slug, index]))
  return before.some((slug, index) => {
    if (!policy.isProtected({ projectSlug, stageSlug: slug })) return false
    const at = placeIn.get(slug) ?? 0
    return before.some((other, otherIndex) => otherIndex < index !== (placeIn.get(other) ?? 0) < at)
  })
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

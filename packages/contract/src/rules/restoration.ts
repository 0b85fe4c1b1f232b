/** What a restore would do to each variable, from its digests now and the history since the revision. */
import { compareCodePoints } from './code-points.ts'
import { isSame, opens, type DigestedState } from './comparison.ts'

/** A change of a variable in the history. */
export interface PastChange<State extends DigestedState> {
  /** Name of the variable. */
  readonly name: string
  /** What the change did to it. */
  readonly change: 'created' | 'updated' | 'deleted' | 'restored'
  /** The state before it. Absent: there was none, or it is older than the history. */
  readonly before?: State | undefined
}

/** A variable that was changed since the revision, and gets its former state back. */
export interface ChangingEffect<State extends DigestedState> {
  /** Name of the variable. */
  readonly name: string
  /** It changes. */
  readonly effect: 'changes'
  /** Its state at the revision. */
  readonly then: State
  /** Its state now. */
  readonly now: State
}

/** A variable of which a restore changes more than its state, or of which that is not known. */
export interface OtherEffect {
  /** Name of the variable. */
  readonly name: string
  /**
   * `returns`: it was deleted since. `goes`: it was created since. `unknown`: its state at the revision is older than the history.
   * `unreadable`: its value at the revision does not open.
   */
  readonly effect: 'returns' | 'goes' | 'unknown' | 'unreadable'
}

/** What a restore would do to a variable. */
export type RestoreEffect<State extends DigestedState> = ChangingEffect<State> | OtherEffect

/**
 * Returns the effects of a restore by name, without variables that stay as they are. Never throws for known kinds.
 *
 * @param present The variables now.
 * @param later Every change after the restored revision, the newest first.
 * @example
 * restoreEffects([], [{ name: 'A', change: 'deleted', before: { kind: 'secret', digests: { value: 'x' } } }])[0]?.effect // 'returns'
 */
export function restoreEffects<State extends DigestedState>(
  present: readonly (State & Pick<OtherEffect, 'name'>)[],
  later: readonly PastChange<State>[],
): RestoreEffect<State>[] {
  const byName = new Map(present.map((variable) => [variable.name, variable]))
  // The oldest change, which is set last, has the state of the variable at the revision.
  const oldest = new Map(later.map((change) => [change.name, change]))
  return [...oldest.values()]
    .toSorted((one, other) => compareCodePoints(one.name, other.name))
    .flatMap((change) => effectOf(byName.get(change.name), change) ?? [])
}

function effectOf<State extends DigestedState>(
  now: State | undefined,
  { name, change, before: then }: PastChange<State>,
): RestoreEffect<State> | undefined {
  if (!then) {
    if (change === 'updated' || change === 'deleted') return { name, effect: 'unknown' }
    return now && { name, effect: 'goes' }
  }
  if (!now) return { name, effect: 'returns' }
  if (!opens(then)) return { name, effect: 'unreadable' }
  return isSame(then, now) ? undefined : { name, effect: 'changes', then, now }
}

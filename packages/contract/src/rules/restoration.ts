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

/**
 * What a restore would do to a variable. `changes`: it was changed since, from the state `then`. `returns`: it was deleted since.
 * `goes`: it was created since. `unknown`: its state at the revision is older than the history. `unreadable`: its value at the
 * revision does not open.
 */
export type RestoreEffect<State extends DigestedState> =
  | { readonly name: string; readonly effect: 'changes'; readonly then: State; readonly now: State }
  | { readonly name: string; readonly effect: 'returns' | 'goes' | 'unknown' | 'unreadable' }

/**
 * Returns the effects of a restore by name, without variables that stay as they are. Never throws for known kinds.
 *
 * @param present The variables now.
 * @param later Every change after the restored revision, the newest first.
 * @example
 * restoreEffects([], [{ name: 'A', change: 'deleted', before: { kind: 'secret', digests: { value: 'x' } } }])[0]?.effect // 'returns'
 */
export function restoreEffects<State extends DigestedState>(
  present: readonly (State & { readonly name: string })[],
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

/** Returns a function that shares one result of `work` among all calls within `ms` of its start. A failure is not shared later. */
export function memoizeFor<T>(ms: number, now: () => number, work: () => Promise<T>): () => Promise<T> {
  let latest: { readonly result: Promise<T>; readonly startedAt: number } | undefined
  return () => {
    const startedAt = now()
    // A clock that was set back must not extend the life of a result.
    if (latest && Math.abs(startedAt - latest.startedAt) < ms) return latest.result
    const result = work()
    const started = (latest = { result, startedAt })
    result.catch(() => {
      if (latest === started) latest = undefined
    })
    return result
  }
}

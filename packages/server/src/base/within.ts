/** Returns the result of the work, or `late` if it takes longer. The work goes on. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T | 'late'> {
  const { promise, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, limitMs, 'late')
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

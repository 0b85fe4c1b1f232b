/** Sends requests together and counts their results. */
import type { Answer } from './client.ts'

export function times(count: number, call: (index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)))
}

/** Counts the answers with status 200, and those with each code. */
export function codes(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const code = status === 200 ? 'ok' : (body.error.code as string)
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

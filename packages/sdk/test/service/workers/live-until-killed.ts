/** A program that decides and reports on a network of its parent's choice, until it kills itself as `kill -9` does. */
import { clientOf } from '../../../src/client.ts'
import type { ClientOptions, Fetch } from '../../../src/index.ts'
import { settled, TestHost } from '../../../testkit/host.ts'

/** What happens to a report. At `killedBefore` and `killedAfter`, the program dies before or after the service has counted it. */
export type Fate = 'answered' | 'refused' | 'lost' | 'killedBefore' | 'killedAfter'

export interface Life {
  readonly options: ClientOptions
  /** What it decides in each ten seconds, and the fates of the reports that follow. */
  readonly intervals: readonly { readonly decisions: number; readonly fates: readonly Fate[] }[]
  /** How many decisions it makes before it dies, unless a report was its death. */
  readonly lastDecisions: number
}

const { options, intervals, lastDecisions } = JSON.parse(process.argv[2] ?? '') as Life
const host = new TestHost()
const fates: Fate[] = []

const die = (): boolean => process.kill(process.pid, 'SIGKILL')

const fetch: Fetch = async (url, init) => {
  const fate = (url.endsWith('/report') && fates.shift()) || 'answered'
  if (fate === 'killedBefore') die()
  if (fate === 'refused') throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
  const answer = await globalThis.fetch(url, init)
  if (fate === 'killedAfter') die()
  if (fate === 'lost') throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
  return answer
}

const local = await clientOf({ ...options, fetch, retry: false }, host).local()

/** Returns how many times the program has begun to wait for its next report. */
function waits(): number {
  return host.waits.filter((ms) => ms === 10_000).length
}

for (const { decisions, fates: next } of intervals) {
  for (let i = 0; i < decisions; i++) local.get('R')
  fates.push(...next)
  const before = waits()
  await host.advance(10_000)
  while (waits() === before) await settled()
}
for (let i = 0; i < lastDecisions; i++) local.get('R')
die()

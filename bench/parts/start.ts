import { median } from '../figures.ts'
import type { Context, Part, Section } from '../part.ts'
import { storeTitles } from '../stores.ts'
import { answerOf, startBare, startRollkey, type Target } from '../target.ts'

const usual = { rounds: 7, seconds: 0, warmupSeconds: 0, connections: 1 }
const headings = ['start', 'median ms', 'fastest – slowest ms', 'over bare ms']
const bareTitle = 'bare node:http'

/** Returns the time from the start of the process to its first good answer. */
async function timeOf(start: () => Promise<Target>): Promise<number> {
  const from = performance.now()
  const target = await start()
  await answerOf(`${target.url}/readyz`)
  const ms = performance.now() - from
  await target.stop()
  return ms
}

async function run({ stores, storeNames, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const times = new Map<string, number[]>()
  const note = (title: string, ms: number): unknown => times.set(title, [...(times.get(title) ?? []), ms])
  // The first fetch of this process takes longer than any other.
  await timeOf(() => startBare(64))
  for (let round = 1; round <= rounds; round++) {
    tell(`round ${round} of ${rounds}`)
    note(bareTitle, await timeOf(() => startBare(64)))
    for (const store of storeNames) {
      const home = await stores.newHome(store)
      note(`${storeTitles[store]}, first start`, await timeOf(() => startRollkey(home)))
      note(`${storeTitles[store]}, later start`, await timeOf(() => startRollkey(home)))
    }
  }
  const bare = median(times.get(bareTitle) ?? [])
  return {
    title: 'Start',
    how:
      `From the start of the process to the first 200 of \`/readyz\`, ${rounds} rounds in turn. The first start creates the keys and the ` +
      'schema in an empty folder or database. Node finds compiled code of earlier runs, as with `npm start`.',
    headings,
    textColumns: 1,
    rows: [...times].map(([title, ms]) => [
      title,
      median(ms).toFixed(0),
      `${Math.min(...ms).toFixed(0)} – ${Math.max(...ms).toFixed(0)}`,
      title === bareTitle ? '' : (median(ms) - bare).toFixed(0),
    ]),
    aims: [],
    notes: [],
    faults: [],
  }
}

export const start: Part = { name: 'start', run }

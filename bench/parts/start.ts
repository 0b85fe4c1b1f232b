import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../figures.ts'
import type { Context, Part, Section } from '../part.ts'
import { megabytes } from '../resident-memory.ts'
import { storeTitles, type Home } from '../stores.ts'
import { answerOf, builtForms, startBare, startForm, type Form, type Target } from '../target.ts'

const usual = { rounds: 7, seconds: 0, warmupSeconds: 0, connections: 1 }
const headings = ['start', 'median ms', 'fastest – slowest ms', 'over bare ms', 'resident MB']
const bareTitle = 'bare node:http'
/** What a start leaves to do, such as the first collection of garbage, ends within this time. */
const settleMs = 1_000

interface Start {
  readonly ms: number
  readonly residentBytes: number
}

function residentBytesOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}

/** Returns the time from the start of the process to its first good answer, and its memory a moment later. */
async function measure(start: () => Promise<Target>): Promise<Start> {
  const from = performance.now()
  const target = await start()
  await answerOf(`${target.url}/readyz`)
  const ms = performance.now() - from
  await sleep(settleMs)
  const residentBytes = residentBytesOf(target.pid)
  await target.stop()
  return { ms, residentBytes }
}

type Note = (title: string, start: Start) => void

async function measureForm(home: Home, form: Form, note: Note): Promise<void> {
  const title = `${storeTitles[home.store]}, ${form}`
  note(`${title}, first start`, await measure(() => startForm(home, form)))
  note(`${title}, later start`, await measure(() => startForm(home, form)))
}

function rowsOf(starts: ReadonlyMap<string, readonly Start[]>): string[][] {
  const timesOf = (title: string): number[] => (starts.get(title) ?? []).map(({ ms }) => ms)
  const bare = median(timesOf(bareTitle))
  return [...starts].map(([title, measured]) => {
    const times = timesOf(title)
    return [
      title,
      median(times).toFixed(0),
      `${Math.min(...times).toFixed(0)} – ${Math.max(...times).toFixed(0)}`,
      title === bareTitle ? '' : (median(times) - bare).toFixed(0),
      megabytes(median(measured.map(({ residentBytes }) => residentBytes))),
    ]
  })
}

async function run({ stores, storeNames, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const starts = new Map<string, Start[]>()
  const note: Note = (title, start) => starts.set(title, [...(starts.get(title) ?? []), start])
  // The first fetch of this process takes longer than any other.
  await measure(() => startBare(64))
  for (let round = 1; round <= rounds; round++) {
    tell(`round ${round} of ${rounds}`)
    note(bareTitle, await measure(() => startBare(64)))
    for (const store of storeNames) {
      const { checkout } = await stores.newHome(store)
      for (const form of builtForms(checkout)) await measureForm(await stores.newHome(store), form, note)
    }
  }
  return {
    title: 'Start',
    how:
      `From the start of the process to the first 200 of \`/readyz\`, ${rounds} rounds in turn. The first start creates the keys and the ` +
      'schema in an empty folder or database. Node finds compiled code of earlier runs, as with `npm start`. Resident memory is what ' +
      'the system reports a second later, with the pages of the executable. `npm run build:release` builds the other forms.',
    headings,
    textColumns: 1,
    rows: rowsOf(starts),
    aims: [],
    notes: [
      'By a profile, a later start of the release build spends 70 ms on the schemas of the wire and of better-auth, 50 ms on modules of ' +
        'Node, 50 ms on compiled code from the cache and 45 ms on collecting garbage. KMS clients and PostgreSQL load only if they are used.',
      'Of its memory, an empty Node has 50 MB, half of which is its executable. The heap has 30 MB in use, and room for 33 MB of young ' +
        'objects, which the start makes it take. `NODE_OPTIONS=--max-semi-space-size=2` saves 14 MB and costs throughput.',
      'The pages of a single executable, which include the compiled code, are counted. The system can drop them.',
    ],
    faults: [],
  }
}

export const start: Part = { name: 'start', run }

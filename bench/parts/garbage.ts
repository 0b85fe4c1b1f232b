import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { prepare } from '../compare.ts'
import { newFolder } from '../machine.ts'
import { aimText, atMost, type Aim, type Context, type Part, type Section } from '../part.ts'
import { scenarios, type Scenario } from '../scenarios.ts'
import { load, type Contender, type Plan } from '../spell.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import { eventually, startBare, startService, type Service } from '../target.ts'

const usual = { rounds: 1, seconds: 1.5, warmupSeconds: 2, connections: 64 }
/** Requests after which V8 has compiled what it will compile, however long a busy machine takes for them. */
const warmRequests = 25_000
const maxWarmups = 20
/** Requests over which the garbage of the measurement itself hardly shows. */
const minRequests = 8_000
const headings = ['store', 'request', 'bare kB', 'Rollkey kB', 'aim', 'bare: moved kB', 'Rollkey: moved kB', 'aim']
const measured = scenarios.filter(({ writes }) => !writes).map(({ name }) => name)
/** Maximum kB for a request on the embedded store, about an eighth more than it takes. */
const bounds: Readonly<Record<string, number>> = {
  secret: 19,
  secrets: 21,
  roll: 20,
  batch: 40,
  pull: 25,
  'pull-rolls': 63,
}
/** Maximum kB of a request that move to the old generation, where they wait for a full collection. */
const maxMovedKb = 0.7
/** The number of measurements that must be above it for the aim to be missed. */
const maxMeasurements = 4
const flags = ['--import', path.join(import.meta.dirname, '..', 'garbage.ts')]

/** What a request makes, in kB. */
interface Garbage {
  readonly allocated: number
  /** What of it moves to the old generation. */
  readonly moved: number
}

/** Throws if the file is missing or not complete. */
function numbersIn(file: string): [number, number] {
  const [, allocated, moved] = /^(\d+) (\d+)\n$/.exec(readFileSync(file, 'utf8')) ?? []
  if (allocated === undefined || moved === undefined) throw new Error(`${file} is not complete`)
  return [Number(allocated), Number(moved)]
}

async function warm(contender: Contender, { connections, warmupSeconds }: Plan): Promise<void> {
  let answered = 0
  for (let time = 0; time < maxWarmups && answered < warmRequests; time++)
    answered += (await load(contender, { connections, seconds: warmupSeconds })).answered
}

/** Returns the garbage of a request. */
async function garbageOf(contender: Contender, { connections, seconds }: Plan): Promise<Garbage> {
  const { pid } = contender.target
  const file = path.join(process.env['BENCH_GARBAGE'] ?? '', String(pid))
  process.kill(pid, 'SIGUSR2')
  let answered = 0
  while (answered < minRequests) answered += (await load(contender, { connections, seconds })).answered
  process.kill(pid, 'SIGUSR2')
  const [allocated, moved] = await eventually(() => Promise.resolve(numbersIn(file)))
  rmSync(file)
  return { allocated: allocated / answered / 1_000, moved: moved / answered / 1_000 }
}

/** Measures what requests allocate together, and what moves of them one after the other, each in a turn of the event loop. */
async function bothOf(contender: Contender, plan: Plan): Promise<Garbage> {
  await warm(contender, plan)
  const { allocated } = await garbageOf(contender, plan)
  const lone = { ...plan, connections: 1 }
  let { moved } = await garbageOf(contender, lone)
  // A busy machine also moves what is under way when the young objects are collected, so the least counts.
  for (let again = 1; again < maxMeasurements && moved > maxMovedKb; again++)
    moved = Math.min(moved, (await garbageOf(contender, lone)).moved)
  return { allocated, moved }
}

async function rowOf(
  scenario: Scenario,
  service: Service,
  { store, plan, tell }: { store: StoreName; plan: Plan; tell: Context['tell'] },
): Promise<{ row: string[]; aims: Aim[] }> {
  tell(`${storeTitles[store]}, ${scenario.title}`)
  const prepared = await prepare(scenario, service)
  const bare = await startBare(prepared.bodyBytes ?? 0, { flags })
  const bareGarbage = await bothOf({ ...prepared, target: bare }, plan)
  await bare.stop()
  const { allocated, moved } = await bothOf({ ...prepared, target: service }, plan)
  const bound = store === 'embedded' ? bounds[scenario.name] : undefined
  const aim = bound === undefined ? undefined : atMost(`${scenario.title}: garbage`, allocated, bound, ' kB')
  const movedAim = atMost(`${scenario.title}: moved to the old generation`, moved, maxMovedKb, ' kB')
  return {
    row: [
      storeTitles[store],
      scenario.title,
      bareGarbage.allocated.toFixed(1),
      allocated.toFixed(1),
      aimText(aim),
      bareGarbage.moved.toFixed(2),
      moved.toFixed(2),
      aimText(movedAim),
    ],
    aims: [...(aim ? [aim] : []), movedAim],
  }
}

async function run({ stores, storeNames, scenarios: chosen, plan: planOf, tell }: Context): Promise<Section> {
  process.env['BENCH_GARBAGE'] = newFolder()
  const plan = planOf(usual)
  const results = []
  for (const store of storeNames) {
    const service = await startService(await stores.newHome(store), flags)
    for (const scenario of chosen(measured)) results.push(await rowOf(scenario, service, { store, plan, tell }))
    await service.stop()
  }
  return {
    title: 'Garbage',
    how:
      'What a request makes the server allocate, sampled by V8 once the code is warm. Unlike times, it is the same on each machine, ' +
      'however busy. Moved: what of it survives the collections of young objects, with one connection, and then waits for a full one.',
    headings,
    textColumns: 2,
    rows: results.map(({ row }) => row),
    aims: results.flatMap(({ aims }) => aims),
    notes: [],
    faults: [],
  }
}

export const garbage: Part = { name: 'garbage', run }

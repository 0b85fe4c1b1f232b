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
const headings = ['store', 'request', 'bare kB', 'Rollkey kB', 'aim']
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
const flags = ['--import', path.join(import.meta.dirname, '..', 'garbage.ts')]

/** Throws if the file is missing or not complete. */
function wholeNumberIn(file: string): number {
  const [, digits] = /^(\d+)\n$/.exec(readFileSync(file, 'utf8')) ?? []
  if (digits === undefined) throw new Error(`${file} is not complete`)
  return Number(digits)
}

/** Returns the kB that a warm server allocates for a request. */
async function garbageOf(contender: Contender, { connections, seconds, warmupSeconds }: Plan): Promise<number> {
  const { pid } = contender.target
  const file = path.join(process.env['BENCH_GARBAGE'] ?? '', String(pid))
  let warm = 0
  for (let time = 0; time < maxWarmups && warm < warmRequests; time++)
    warm += (await load(contender, { connections, seconds: warmupSeconds })).answered
  process.kill(pid, 'SIGUSR2')
  const { answered } = await load(contender, { connections, seconds })
  process.kill(pid, 'SIGUSR2')
  const bytes = await eventually(() => Promise.resolve(wholeNumberIn(file)))
  rmSync(file)
  return bytes / answered / 1_000
}

async function rowOf(
  scenario: Scenario,
  service: Service,
  { store, plan, tell }: { store: StoreName; plan: Plan; tell: Context['tell'] },
): Promise<{ row: string[]; aim: Aim | undefined }> {
  tell(`${storeTitles[store]}, ${scenario.title}`)
  const prepared = await prepare(scenario, service)
  const bare = await startBare(prepared.bodyBytes ?? 0, { flags })
  const bareKb = await garbageOf({ ...prepared, target: bare }, plan)
  await bare.stop()
  const rollkeyKb = await garbageOf({ ...prepared, target: service }, plan)
  const bound = store === 'embedded' ? bounds[scenario.name] : undefined
  const aim = bound === undefined ? undefined : atMost(`${scenario.title}: garbage`, rollkeyKb, bound, ' kB')
  return {
    row: [storeTitles[store], scenario.title, bareKb.toFixed(1), rollkeyKb.toFixed(1), aimText(aim)],
    aim,
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
      'however busy.',
    headings,
    textColumns: 2,
    rows: results.map(({ row }) => row),
    aims: results.flatMap(({ aim }) => aim ?? []),
    notes: [],
    faults: [],
  }
}

export const garbage: Part = { name: 'garbage', run }

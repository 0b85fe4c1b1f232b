/** Runs `npm run bench`: compares the service with bare `node:http` and others, or with --profile shows where its time goes. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { against } from './against.ts'
import { attackNames } from './greedy.ts'
import { machineText } from './machine.ts'
import type { Context, Part, Section } from './part.ts'
import { access } from './parts/access.ts'
import { backup } from './parts/backup.ts'
import { callers } from './parts/callers.ts'
import { capacity } from './parts/capacity.ts'
import { commandLine } from './parts/command-line.ts'
import { dashboard, firstRowsAgainst } from './parts/dashboard.ts'
import { declared } from './parts/declared.ts'
import { delay } from './parts/delay.ts'
import { interactionsInDashboard } from './parts/interactions.ts'
import { inProcess } from './parts/in-process.ts'
import { hotStage } from './parts/hot-stage.ts'
import { tokenExchange } from './parts/exchange.ts'
import { fleet } from './parts/fleet.ts'
import { floor } from './parts/floor.ts'
import { garbage } from './parts/garbage.ts'
import { greedy } from './parts/greedy.ts'
import { memory } from './parts/memory.ts'
import { ofrep } from './parts/ofrep.ts'
import { vault } from './parts/vault.ts'
import { peers } from './parts/peers.ts'
import { push } from './parts/push.ts'
import { rate } from './parts/rate.ts'
import { receivers } from './parts/receivers.ts'
import { replica } from './parts/replica.ts'
import { rulesets } from './parts/rulesets.ts'
import { standby } from './parts/standby.ts'
import { start } from './parts/start.ts'
import { streams } from './parts/streams.ts'
import { threads } from './parts/threads.ts'
import { throughput } from './parts/throughput.ts'
import { workers } from './parts/workers.ts'
import { writes } from './parts/writes.ts'
import { profile } from './profile.ts'
import { aimsText, sectionText } from './report.ts'
import { record } from './results.ts'
import { scenarios } from './scenarios.ts'
import { storeNames, Stores } from './stores.ts'
import { repository } from './target.ts'

const parts: readonly Part[] = [
  throughput,
  floor,
  garbage,
  callers,
  rate,
  workers,
  threads,
  writes,
  receivers,
  replica,
  hotStage,
  delay,
  push,
  memory,
  capacity,
  backup,
  standby,
  start,
  commandLine,
  dashboard,
  interactionsInDashboard,
  greedy,
  access,
  tokenExchange,
  ofrep,
  vault,
  streams,
  inProcess,
  rulesets,
  declared,
  fleet,
  peers,
]

/** What `--against` compares. */
const comparisons = [
  { name: 'request', run: against },
  { name: dashboard.name, run: firstRowsAgainst },
] as const

const help = `Usage: npm run bench -- [options]
  --part <name>        ${parts.map(({ name }) => name).join(', ')}; may be repeated; default: all
  --store <name>       ${storeNames.join(' or ')}; default: both, if the part supports both
  --scenario <name>    for throughput, rate and --profile: ${scenarios.map(({ name }) => name).join(', ')};
                       may be repeated; default: the scenarios of each part
  --attack <name>      for greedy: ${attackNames.join(', ')}; may be repeated; default: all
  --rounds <n>, --seconds <n>, --warmup <n>, --connections <n>, --rate <n>
                       override the plan of each part
  --minutes <n>        for fleet: also write, kill nodes and cut streams for this time
  --profile            instead of a comparison, profile where the service spends its time; default scenario: secrets
  --against <folder>   instead of parts, compare the processor time of a request with another checkout (after npm ci there)
                       and that checkout with itself; default scenario: secret;
                       with --part dashboard, how long a project takes to show its first rows (after npm run build in both)
  --limit <ratio>      for --against: fail if a request takes more than this many times the other checkout's processor time
  --check              fail unless all aims of the parts are met
  --serialize          for throughput and rate: the bare server stringifies each answer, as another yardstick
  --checkout <folder>  measure the service of another checkout
  --write              also replace the parts in RESULTS.md, with their plots
`

const { values: options } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    store: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    attack: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    warmup: { type: 'string' },
    connections: { type: 'string' },
    rate: { type: 'string' },
    minutes: { type: 'string' },
    profile: { type: 'boolean', default: false },
    against: { type: 'string' },
    limit: { type: 'string' },
    serialize: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    checkout: { type: 'string', default: repository },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const stores = new Stores(path.resolve(options.checkout))

/** Returns the items of `all` that are named, or all of them if no names are given. */
function chosen<Thing>(
  all: readonly Thing[],
  names: readonly string[] | undefined,
  nameOf: (thing: Thing) => string,
): Thing[] {
  const unknown = names?.find((name) => !all.some((thing) => nameOf(thing) === name))
  if (unknown !== undefined)
    throw new Error(`unknown name "${unknown}" (expected ${all.map(nameOf).join(', ')})\n${help}`)
  return all.filter((thing) => names?.includes(nameOf(thing)) ?? true)
}

function numberOf(
  name: 'rounds' | 'seconds' | 'warmup' | 'connections' | 'rate' | 'minutes' | 'limit',
): number | undefined {
  const text = options[name]
  if (text !== undefined && !(Number(text) > 0)) throw new Error(`--${name} must be a number greater than 0\n${help}`)
  return text === undefined ? undefined : Number(text)
}

/** Shows the current step on a temporary line of a terminal. Prints nothing if stderr is not a terminal. */
function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${styleText('gray', text, { stream: process.stderr })}`)
}

function contextOf(): Context {
  const [connections, perSecond] = [numberOf('connections'), numberOf('rate')]
  const given = Object.entries({
    rounds: numberOf('rounds'),
    seconds: numberOf('seconds'),
    warmupSeconds: numberOf('warmup'),
    connections,
  }).filter(([, value]) => value !== undefined)
  return {
    stores,
    storeNames: chosen(storeNames, options.store, (name) => name),
    scenarios: (usual) => chosen(scenarios, options.scenario ?? usual, ({ name }) => name),
    attacks: (usual) => chosen(usual, options.attack, (name) => name),
    plan: (usual) => ({
      ...usual,
      ...Object.fromEntries(given),
      ...('rate' in usual && { rate: perSecond ?? usual.rate }),
    }),
    connections,
    minutes: numberOf('minutes'),
    serializes: options.serialize,
    limit: numberOf('limit'),
    tell,
  }
}

/** Runs a part. What the other parts measured is not lost if it fails. */
async function sectionOf(part: Part, context: Context): Promise<Section> {
  try {
    return await part.run(context)
  } catch (error) {
    const fault = `not measured: ${error instanceof Error ? error.message : String(error)}`
    const empty = { headings: ['part'], textColumns: 1, rows: [[part.name]], aims: [], notes: [] }
    return { ...empty, title: part.name, how: 'This part failed.', faults: [fault] }
  }
}

async function measure(context: Context, machine: string): Promise<void> {
  const sections = new Map<string, Section>()
  const order = parts.map(({ name }) => name)
  const wanted = chosen(parts, options.part, ({ name }) => name)
  for (const [index, part] of wanted.entries()) {
    const place = `[${index + 1}/${wanted.length}] ${part.name}: `
    const section = await sectionOf(part, { ...context, tell: (text) => tell(place + text) })
    tell('')
    console.log(sectionText(section))
    sections.set(part.name, section)
    const isVoid = section.faults.length > 0
    if (options.write && !isVoid) record(part.name, { machine, section }, order)
  }
  conclude([...sections.values()])
}

/** Prints the aims. Throws if figures are void, or if they miss an aim and the command line asks for that. */
function conclude(sections: readonly Section[]): void {
  console.log(aimsText(sections))
  if (sections.some(({ faults }) => faults.length > 0)) throw new Error('some figures are void; see the faults above')
  const isMissed = sections.some(({ aims }) => aims.some(({ isMet }) => !isMet))
  if (options.check && isMissed) throw new Error('an aim is missed; see ✗ above (--check)')
  if (options.limit !== undefined && isMissed)
    throw new Error(`a request takes too much processor time; see ✗ above (--limit ${options.limit})`)
}

/** Throws if the folder is not a checkout with its packages installed. */
function assertCheckout(folder: string): void {
  if (!existsSync(path.join(folder, 'node_modules'))) {
    throw new Error(`${folder} has no node_modules; run "npm ci" there first`)
  }
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(help)
    return
  }
  const { part, store, scenario, attack } = options
  const narrowing = [
    options.serialize || undefined,
    store,
    scenario,
    attack,
    options.connections,
    options.rate,
    options.against,
  ]
  if (options.write && narrowing.some((option) => option !== undefined)) {
    throw new Error('--write needs whole parts; remove the options that narrow them, or the page would lose rows')
  }
  for (const folder of [options.checkout, options.against ?? repository]) assertCheckout(folder)
  if (options.limit !== undefined && options.against === undefined)
    throw new Error('--limit compares with another checkout; add --against FOLDER')
  const context = contextOf()
  const machine = machineText()
  console.log(machine)
  if (options.profile) await profile(context)
  else if (options.against !== undefined) {
    const sections: Section[] = []
    for (const { run } of chosen(comparisons, part ?? ['request'], ({ name }) => name)) {
      const section = await run(context, path.resolve(options.against))
      tell('')
      console.log(sectionText(section))
      sections.push(section)
    }
    conclude(sections)
  } else await measure(context, machine)
}

let ending: Promise<void> | undefined

/** Stops the stores, including after a failure, and exits. Servers and folders are removed when the process exits. */
function end(status: number): void {
  ending ??= stores.close().finally(() => process.exit(status))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(130))
main().then(
  () => end(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    end(1)
  },
)

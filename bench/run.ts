/** `npm run bench`: the service against bare `node:http`, or with --profile where its time goes. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { startPostgres } from '../packages/server/testkit/postgres.ts'
import { loadCore, machineText, pin } from './machine.ts'
import { load, measure, prepare, type Outcome, type Plan } from './measure.ts'
import { summarize, summaryText } from './profile.ts'
import { doubtsOf, isClean, markdownOf, plotOf, tableText } from './report.ts'
import { scenarios, type Scenario } from './scenarios.ts'
import { startRollkey, type Home } from './target.ts'

let closing = async (): Promise<void> => {}

const help = `Usage: npm run bench -- [options]
  --scenario <name>    ${scenarios.map(({ name }) => name).join(', ')}; may be repeated; default: all (with --profile: the first)
  --rounds <n>         of each server and scenario; default 15
  --seconds <n>        of a round; default 1, with --profile 5
  --warmup <n>         seconds of load on each server before the first round; default 2
  --connections <n>    default 64
  --store <name>       embedded (default) or postgres
  --rate <n>           requests a second, all connections together; default: as many as are answered
  --profile            no comparison: profile the service under each scenario and tell where the time goes
  --write              write RESULTS.md and results.svg, or RESULTS-postgres.md and results-postgres.svg, in bench/
`

const { values: options } = parseArgs({
  options: {
    scenario: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string' },
    warmup: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    store: { type: 'string', default: 'embedded' },
    rate: { type: 'string' },
    profile: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const plan: Plan = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds ?? (options.profile ? 5 : 1)),
  connections: Number(options.connections),
  rate: options.rate === undefined ? undefined : Number(options.rate),
  warmupSeconds: Number(options.warmup),
}

function chosen(): Scenario[] {
  const names = options.scenario ?? scenarios.slice(0, options.profile ? 1 : undefined).map(({ name }) => name)
  return names.map((name) => {
    const scenario = scenarios.find((each) => each.name === name)
    if (!scenario) throw new Error(`There is no scenario ${name}.\n${help}`)
    return scenario
  })
}

/** Shows what is under way on a line of its own that goes away again; says nothing where nobody watches. */
function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${styleText('gray', text, { stream: process.stderr })}`)
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** PostgreSQL syncs as it would anywhere, and stands where the load does: on another machine than the service. */
async function newHome(): Promise<Home> {
  const home = { ROLLKEY_DATA_DIR: newFolder() }
  if (options.store !== 'postgres') return home
  const postgres = await startPostgres()
  closing = () => postgres.close()
  pin(loadCore, postgres.pid)
  return { ...home, ROLLKEY_DATABASE_URL: postgres.url }
}

/** What the database was asked for, as the service counts it; nothing on the embedded store. */
async function roundsPerRequest(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const [rounds, requests] = ['rounds', 'requests'].map((what) =>
    Number(new RegExp(`rollkey_rounds_total\\{what="${what}"\\} (\\d+)`).exec(text)?.[1]),
  ) as [number, number]
  return requests > 0 ? [`${(rounds / requests).toFixed(4)} statements to the database a request.`] : []
}

async function compare(machine: string): Promise<void> {
  const home = await newHome()
  const rollkey = await startRollkey(home)
  const outcomes: Outcome[] = []
  for (const scenario of chosen()) outcomes.push(await measure(scenario, plan, rollkey, home, tell))
  const perRequest = await roundsPerRequest(rollkey.url)
  await rollkey.stop()
  tell('')
  const how = `${plan.rounds} rounds of ${plan.seconds} s each, ${plan.connections} connections${plan.rate === undefined ? '' : `, ${plan.rate} requests a second`}`
  console.log([how, '', tableText(outcomes), '', ...perRequest, ...doubtsOf(outcomes)].join('\n'))
  if (options.write) {
    const name = options.store === 'postgres' ? '-postgres' : ''
    const notes = [...perRequest, ...doubtsOf(outcomes)]
    const text = markdownOf(outcomes, { machine, how, notes, plot: `results${name}.svg` })
    writeFileSync(path.join(import.meta.dirname, `RESULTS${name}.md`), text)
    writeFileSync(path.join(import.meta.dirname, `results${name}.svg`), plotOf(outcomes))
  }
  if (!outcomes.every(isClean)) throw new Error('There were errors, or the usage is not what was answered.')
}

async function profile(scenario: Scenario): Promise<void> {
  const home = await newHome()
  const profiles = path.join(newFolder(), 'profiles')
  mkdirSync(profiles)
  const rollkey = await startRollkey(home, ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=500'])
  const prepared = await prepare(scenario, rollkey, home)
  tell(`${scenario.title}: warming up`)
  await load(rollkey, prepared, plan.warmupSeconds, plan)
  tell(`${scenario.title}: profiling`)
  const { perSecond, stretch } = await load(rollkey, prepared, plan.seconds, plan)
  await rollkey.stop()
  tell('')
  const [file] = readdirSync(profiles)
  if (file === undefined) throw new Error('The service wrote no profile.')
  const title = `${scenario.title}: ${Math.round(perSecond).toLocaleString('en')} req/s while profiled`
  console.log(`\n${styleText('bold', title)}\n${summaryText(summarize(path.join(profiles, file), stretch))}`)
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(help)
    return
  }
  const machine = machineText()
  console.log(machine)
  if (!options.profile) await compare(machine)
  else for (const scenario of chosen()) await profile(scenario)
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))
main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  })
  .finally(() => closing())

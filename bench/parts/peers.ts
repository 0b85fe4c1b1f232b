import { prepare } from '../compare.ts'
import { faultsOf, latencyText, median, mediansOf, percent, perSecondOf, ratiosOf, whole } from '../figures.ts'
import { aimText, atLeast, type Aim, type Context, type Part, type Section } from '../part.ts'
import {
  findProgram,
  installUnleash,
  startEtcd,
  startNginx,
  startRedis,
  startUnleash,
  unleashVersion,
  versionOf,
} from '../peers.ts'
import type { Plot } from '../plot.ts'
import { scenarios, type Scenario } from '../scenarios.ts'
import { alternate, type Contender, type Measured } from '../spell.ts'
import { startBare, startService } from '../target.ts'

const usual = { rounds: 5, seconds: 1, warmupSeconds: 5, connections: 64 }
const bareName = 'bare node:http'
const headings = [
  'server',
  'requests/s',
  'of bare',
  'p50 / p99 ms',
  'CPU µs',
  'core busy',
  'times unleash-server',
  'aim',
]
const references = [
  { name: 'Redis GET', program: 'redis-server', debian: 'redis-server', flag: '--version', start: startRedis },
  { name: 'nginx, a static file', program: 'nginx', debian: 'nginx', flag: '-v', start: startNginx },
  { name: 'etcd range read', program: 'etcd', debian: 'etcd-server', flag: '--version', start: startEtcd },
]
const pairs = [
  {
    flags: 1,
    unleash: `unleash-server ${unleashVersion}, 1 flag`,
    rollkey: 'Rollkey, an A/B roll',
    scenario: 'roll',
    lead: 8,
  },
  {
    flags: 20,
    unleash: `unleash-server ${unleashVersion}, 20 flags`,
    rollkey: 'Rollkey, a batch of 20',
    scenario: 'batch',
    lead: 6,
  },
]
const notes = [
  'Rollkey evaluates for 1,000 users in turn (the batch: 15 secrets and 5 rolls). It opens sealed values and counts every ' +
    'evaluation durably before it answers, on the embedded store.',
  'unleash-server answers `GET /api/frontend` with a frontend token, for 1,000 users in turn. Each flag is on for everyone (gradual ' +
    'rollout) in one of two variants by user. It evaluates all flags of the environment from memory and refreshes ' +
    'them after a change (it stores everything in PostgreSQL). It keeps no secrets and does not meter these requests. Its clients report use, which it batches in ' +
    'memory. It runs with default settings, except that its limit of 20,000 requests per minute and its telemetry are off.',
  'Redis, nginx and etcd are reference points and not substitutes: they return a stored text of the same length to any ' +
    'caller. They do not seal, check scopes, choose or meter. The nginx server is one process without an access log. The etcd server answers over ' +
    'its HTTP gateway, with one node and linearizable reads.',
]

type Contenders = Record<string, Contender>

async function startOurs(context: Context): Promise<Contenders> {
  const service = await startService(await context.stores.newHome('embedded'))
  const contenders: Contenders = {}
  for (const { rollkey, scenario: wanted } of pairs) {
    const scenario = scenarios.find(({ name }) => name === wanted) as Scenario
    contenders[rollkey] = { target: service, ...(await prepare(scenario, service)) }
  }
  return contenders
}

/** Returns the installed programs, and a note for each missing one. */
async function startTheirs(
  { stores, tell }: Context,
  bytes: number,
): Promise<{ contenders: Contenders; missing: string[] }> {
  const contenders: Contenders = {}
  const missing: string[] = []
  tell('installing unleash-server')
  const failed = await installUnleash()
  if (failed === undefined) {
    for (const { flags, unleash } of pairs) {
      tell(`starting ${unleash}`)
      contenders[unleash] = await startUnleash(flags, stores)
    }
  } else missing.push(`unleash-server is left out because npm could not install it: ${failed}`)
  for (const { name, program, debian, flag, start } of references) {
    tell(`starting ${program}`)
    const found = findProgram(program)
    if (found === undefined)
      missing.push(`${program} is left out because it is not installed; to include it, run apt-get install ${debian}`)
    else contenders[`${name} (${versionOf(found, flag)})`] = await start(found, bytes)
  }
  return { contenders, missing }
}

function aimsOf(measured: Readonly<Record<string, Measured>>): Map<string, Aim> {
  const aims = pairs.flatMap(({ unleash, rollkey, lead }) => {
    const [over, under] = [measured[rollkey], measured[unleash]]
    if (!over || !under) return []
    const times = median(ratiosOf(over, under, perSecondOf))
    return [[rollkey, atLeast(`${rollkey}: times ${unleash}`, times, lead)] as const]
  })
  return new Map(aims)
}

function plotOf(measured: Readonly<Record<string, Measured>>): Plot {
  return {
    title: 'Requests a second on one core (logarithmic)',
    legend: { bare: 'bare node:http', embedded: 'Rollkey, embedded store', other: 'others' },
    isLogarithmic: true,
    bars: Object.entries(measured).map(([label, each]) => {
      const { perSecond } = mediansOf(each)
      const ours = label.startsWith('Rollkey') ? 'embedded' : 'other'
      const color = label === bareName ? 'bare' : ours
      return { label, value: perSecond, text: whole(perSecond), color }
    }),
  }
}

async function run(context: Context): Promise<Section> {
  const rollkey = await startOurs(context)
  const [roll] = Object.values(rollkey) as [Contender]
  const bytes = roll.bodyBytes ?? 0
  const { contenders, missing } = await startTheirs(context, bytes)
  const all: Contenders = { [bareName]: { ...roll, target: await startBare(bytes) }, ...rollkey, ...contenders }
  const plan = context.plan(usual)
  const measured = await alternate(all, plan, context.tell)
  await Promise.all(Object.values(all).map(({ target }) => target.stop()))
  const aims = aimsOf(measured)
  const entries = Object.entries(measured)
  return {
    title: 'Side by side',
    how:
      `All servers in turn under the same load, each alone on the server core: ${plan.connections} connections, ${plan.rounds} rounds of ` +
      `${plan.seconds} s. If the core is not busy, the load was the limit, and CPU µs is more meaningful.`,
    headings,
    textColumns: 1,
    rows: entries.map(([name, each]) => {
      const { perSecond, cpuUs, serverBusy } = mediansOf(each)
      const share = median(ratiosOf(each, measured[bareName] as Measured, perSecondOf))
      const busy = percent(serverBusy)
      const cells = [whole(perSecond), share.toFixed(2), latencyText(mediansOf(each)), cpuUs.toFixed(1), busy]
      const aim = aims.get(name)
      return [name, ...cells, aim?.figure ?? '', aimText(aim)]
    }),
    aims: [...aims.values()],
    notes: [...notes, ...missing],
    faults: entries.flatMap(([name, each]) => faultsOf(name, each)),
    plot: plotOf(measured),
  }
}

export const peers: Part = { name: 'peers', run }

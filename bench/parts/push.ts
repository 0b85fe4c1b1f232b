import { setTimeout as sleep } from 'node:timers/promises'
import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk'
import { RollkeyProvider } from '../../packages/openfeature/src/index.ts'
import { startTcpProxy, type TcpProxy } from '../../packages/server/testkit/tcp-proxy.ts'
import { project } from '../compare.ts'
import { median, quantile } from '../figures.ts'
import { atMost, type Context, type Part, type Section } from '../part.ts'
import { call, org, startRollkey, startService, type Service, type Target } from '../target.ts'

const usual = { rounds: 200, seconds: 0, warmupSeconds: 0, connections: 1 }
const name = 'CHANGING'
const stage = { projectSlug: project, stageSlug: 'push' }
const headings = ['write on node A', 'times', 'median ms', 'p99 ms', 'longest ms']
const boundMs = 1_500
const steadyMs = 5_500
/** Share of the rounds that begin with the fault. A silent connection takes the client half a minute to notice. */
const faults = {
  'after the connections to node B are reset': 0.1,
  'after node B is killed': 0.02,
  'after the connections to node B fall silent': 0.01,
} as const
type Fault = keyof typeof faults

interface Rig {
  readonly a: Service
  readonly way: TcpProxy
  /** Ends the connections between the provider and node B. */
  readonly strike: (fault: Fault) => Promise<void>
  /** Opens node B again. */
  readonly repair: (fault: Fault) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts node A, node B and a way to B, which leads to A while B is dead. */
async function rigOf(context: Context): Promise<Rig> {
  const home = await context.stores.newHome('postgres')
  const a = await startService(home)
  let b: Target = await startRollkey(home)
  const way = await startTcpProxy(b.port)
  return {
    a,
    way,
    strike: async (fault) => {
      if (fault === 'after the connections to node B are reset') way.cut()
      else if (fault === 'after the connections to node B fall silent') way.stallOpen()
      else {
        way.targetPort = a.port
        process.kill(b.pid, 'SIGKILL')
        await b.stop()
      }
    },
    repair: async (fault) => {
      if (fault !== 'after node B is killed') return
      b = await startRollkey(home)
      way.targetPort = b.port
      way.cut()
    },
    stop: async () => {
      way.close()
      await b.stop()
      await a.stop()
    },
  }
}

/** Writes a value on node A and returns how long after the acknowledgement the provider has it, in ms. */
async function reach({ a }: Rig, value: string): Promise<number> {
  const flags = OpenFeature.getClient('push')
  const arrival = Promise.withResolvers<void>()
  const check = async (): Promise<void> => {
    // A provider whose connections have just failed may serve its old value once more.
    while ((await flags.getStringValue(name, 'none')) !== value) await sleep(5)
    arrival.resolve()
  }
  flags.addHandler(ProviderEvents.ConfigurationChanged, check)
  const entries = [{ name, kind: 'secret', value }]
  await call(a, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  const from = performance.now()
  await arrival.promise
  flags.removeHandler(ProviderEvents.ConfigurationChanged, check)
  return performance.now() - from
}

async function connect({ a, way }: Rig): Promise<void> {
  await call(a, '/v1/env/write', { ...stage, mode: 'upsert', entries: [{ name, kind: 'secret', value: 'first' }] })
  const url = `http://127.0.0.1:${way.port}`
  const { projectSlug, stageSlug } = stage
  // Polling would hide that a stream is away.
  const options = { url, org, project: projectSlug, stage: stageSlug, token: a.token }
  await OpenFeature.setProviderAndWait('push', new RollkeyProvider(options, { intervalMs: 3_600_000 }))
}

function rowOf(title: string, delays: readonly number[]): string[] {
  const figures = [median(delays), quantile(delays, 0.99), Math.max(...delays)]
  return [title, String(delays.length), ...figures.map((ms) => ms.toFixed(0))]
}

/** Measures without a fault, or after one in each round. */
async function delaysOf(rig: Rig, rounds: number, fault: Fault | undefined, { tell }: Context): Promise<number[]> {
  const delays: number[] = []
  for (let round = 0; round < rounds; round++) {
    tell(`${fault ?? 'no fault'}, ${round} of ${rounds}`)
    // The nodes look for changes once a second: writes at a random moment of that second.
    await sleep(Math.random() * 1_000)
    if (fault) await rig.strike(fault)
    delays.push(await reach(rig, `${fault} ${round}`))
    if (!fault) continue
    await rig.repair(fault)
    // Until the provider is on node B again, by a stream that lasts: one that ends within 5 seconds counts as a failure.
    await reach(rig, `repaired, ${fault} ${round}`)
    await sleep(steadyMs)
  }
  return delays
}

async function run(context: Context): Promise<Section> {
  const { rounds } = context.plan(usual)
  const rig = await rigOf(context)
  await connect(rig)
  const quiet = await delaysOf(rig, rounds, undefined, context)
  const rows = [rowOf('without a fault', quiet)]
  for (const [fault, share] of Object.entries(faults) as [Fault, number][])
    rows.push(rowOf(fault, await delaysOf(rig, Math.ceil(rounds * share), fault, context)))
  await OpenFeature.clearProviders()
  await rig.stop()
  return {
    title: 'From a write to a provider on another node',
    how:
      'Two nodes over one PostgreSQL. An OpenFeature provider follows the event stream of node B and does not poll. ' +
      'From the acknowledgement of a write on node A, at a random moment, until an evaluation by the provider has the new value.',
    headings,
    textColumns: 1,
    rows,
    aims: [atMost('a change reaches a provider on another node, 99 % within', quantile(quiet, 0.99), boundMs, ' ms')],
    notes: [
      'After a reset and after the death of its node, the provider opens its stream again within a second, at random, and ' +
        'receives what it missed. A silent connection ends after 35 seconds without a heartbeat.',
    ],
    faults: [],
  }
}

export const push: Part = { name: 'push', run }

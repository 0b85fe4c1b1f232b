import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTcpProxy, type TcpProxy } from '../../packages/server/testkit/tcp-proxy.ts'
import { project } from '../compare.ts'
import { median, quantile, whole } from '../figures.ts'
import type { FleetJob, FleetLine } from '../fleet.ts'
import { loadCore, startProgram } from '../machine.ts'
import { atMost, type Context, type Part, type Section } from '../part.ts'
import type { Home } from '../stores.ts'
import { administer, call, eventually, org, startRollkey, startService, type Target } from '../target.ts'

const usual = { rounds: 200, seconds: 0, warmupSeconds: 0, connections: 100 }
const programs = 10
const name = 'CHANGING'
const stage = { projectSlug: project, stageSlug: 'fleet' }
const script = path.join(import.meta.dirname, '../fleet.ts')
const headings = ['', 'times', 'median ms', 'p99 ms', 'longest ms']
const boundMs = 1_000
const warmups = 3
/** Longest pause between two writes, and between two faults, of the endurance. */
const pauseMs = { write: 1_000, fault: 10_000 }
/** How long clients have after the last write. A silent connection ends after 35 seconds. */
const settleMs = 120_000

/** Programs whose clients decide. One call at a time. */
interface Fleet {
  /** Resolves with the times at which all clients had a value, in ms since the epoch. */
  readonly reached: (value: string) => Promise<number[]>
  /** Returns what each client decides now. */
  readonly decided: () => Promise<unknown[]>
  readonly stop: () => void
}

/** Starts programs with clients, and resolves when all of them can decide. */
async function startFleet(job: FleetJob): Promise<Fleet> {
  const total = programs * job.clients
  let onLine: ((line: FleetLine) => void) | undefined
  let onExit: (() => void) | undefined
  const collect = <Result>(of: (line: FleetLine) => Result[]): Promise<Result[]> =>
    new Promise((resolve, reject) => {
      const results: Result[] = []
      onExit = () => reject(new Error('a program ended; see its error above'))
      onLine = (line) => {
        results.push(...of(line))
        if (results.length === total) resolve(results)
      }
    })
  const decided = (): Promise<unknown[]> => collect((line) => ('decided' in line ? [...line.decided] : []))
  const isReady = decided()
  const all = Array.from({ length: programs }, () => {
    const child = startProgram(loadCore, process.execPath, ['--conditions=source', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.on('exit', () => onExit?.())
    child.stdin?.write(`${JSON.stringify(job)}\n`)
    createInterface({ input: child.stdout as Readable }).on('line', (line) => onLine?.(JSON.parse(line) as FleetLine))
    return child
  })
  await isReady
  return {
    reached: (value) => collect((line) => ('value' in line && line.value === value ? [line.atMs] : [])),
    decided: () => {
      const answers = decided()
      for (const { stdin } of all) stdin?.write('\n')
      return answers
    },
    stop: () => all.forEach((child) => child.kill('SIGKILL')),
  }
}

/** Two nodes, and a way to one of them for the clients. */
interface Rig {
  readonly home: Home
  readonly token: string
  readonly nodes: [Target, Target]
  readonly way: TcpProxy
}

async function startRig({ stores }: Context): Promise<Rig> {
  const home = await stores.newHome('postgres')
  const first = await startService(home)
  const nodes: [Target, Target] = [first, await startRollkey(home)]
  // The token of a login ends after an hour.
  const { token } = await administer<{ token: string }>(home, 'token', 'create', 'fleet', '--org', org, '--write')
  return { home, token, nodes, way: await startTcpProxy(nodes[1].port) }
}

/** Writes on the first node. If that fails, on the other one. */
async function write({ nodes, token }: Rig, value: string): Promise<void> {
  const entries = [{ name, kind: 'ab_roll', valueA: value, valueB: 'other', chance: 1 }]
  let attempt = 0
  await eventually(() => {
    const { url } = nodes[attempt++ % nodes.length] as Target
    return call({ url, token }, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  })
}

/** Returns how long after the acknowledgement of a write each client has decided by it, in ms. */
async function delaysOf(rig: Rig, fleet: Fleet, rounds: number, { tell }: Context): Promise<number[]> {
  const delays: number[] = []
  for (let round = -warmups; round < rounds; round++) {
    tell(`write ${round} of ${rounds}`)
    // The nodes look for changes once a second: writes at a random moment of that second.
    await sleep(Math.random() * 1_000)
    const value = `value ${round}`
    const reached = fleet.reached(value)
    await write(rig, value)
    const ackAtMs = performance.timeOrigin + performance.now()
    const times = await reached
    // The first writes may come before all streams are open.
    if (round >= 0) delays.push(...times.map((atMs) => Math.max(0, atMs - ackAtMs)))
  }
  return delays
}

/** Kills one of the nodes, and starts it again. Clients that lose their node find the other one. */
async function killNode({ home, nodes, way }: Rig): Promise<void> {
  const [at, other] = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)
  const node = nodes[at]
  if (way.targetPort === node.port) way.targetPort = nodes[other].port
  process.kill(node.pid, 'SIGKILL')
  await node.stop()
  nodes[at] = await startRollkey(home)
}

interface Endurance {
  writes: number
  readonly faults: Record<'nodes killed' | 'streams cut' | 'streams silent', number>
  /** Clients that do not decide by the last write. */
  stale: number
  /** How long after the last write all clients decided by it. */
  settledMs: number
}

/** Writes for some minutes while nodes are killed and streams cut. */
async function endure(rig: Rig, fleet: Fleet, minutes: number, { tell }: Context): Promise<Endurance> {
  const endAtMs = performance.now() + minutes * 60_000
  const faults = { 'nodes killed': 0, 'streams cut': 0, 'streams silent': 0 }
  const strike = {
    'nodes killed': () => killNode(rig),
    'streams cut': async () => rig.way.cut(),
    'streams silent': async () => rig.way.stallOpen(),
  }
  const kinds = Object.keys(strike) as (keyof typeof strike)[]
  let writes = 0
  const disturb = async (): Promise<void> => {
    while (performance.now() < endAtMs) {
      await sleep(Math.random() * pauseMs.fault)
      const kind = kinds[Math.floor(Math.random() * kinds.length)] ?? 'streams cut'
      await strike[kind]()
      faults[kind]++
    }
  }
  const disturbing = disturb()
  while (performance.now() < endAtMs) {
    tell(`${writes} writes, ${Object.values(faults).reduce((sum, count) => sum + count, 0)} faults`)
    await write(rig, `endurance ${writes}`)
    writes++
    await sleep(Math.random() * pauseMs.write)
  }
  await disturbing
  await write(rig, 'last')
  const fromMs = performance.now()
  for (;;) {
    const stale = (await fleet.decided()).filter((value) => value !== 'last').length
    const settledMs = performance.now() - fromMs
    if (stale === 0 || settledMs > settleMs) return { writes: writes + 1, faults, stale, settledMs }
    await sleep(100)
  }
}

function rowOfEndurance(minutes: number, { writes, faults, settledMs }: Endurance): string[] {
  const struck = Object.entries(faults).map(([kind, times]) => `${kind}: ${whole(times)}`)
  const what = `the last of ${whole(writes)} writes in ${minutes} min (${struck.join(', ')}), until all clients have it`
  return [what, '1', '', '', whole(settledMs)]
}

async function run(context: Context): Promise<Section> {
  const { minutes, plan } = context
  const { rounds, connections } = plan(usual)
  const rig = await startRig(context)
  await write(rig, 'first')
  const { projectSlug, stageSlug } = stage
  const options = { url: `http://127.0.0.1:${rig.way.port}`, org, project: projectSlug, stage: stageSlug }
  context.tell('starting the programs')
  const fleet = await startFleet({
    options: { ...options, token: rig.token },
    name,
    clients: Math.ceil(connections / programs),
  })
  const delays = await delaysOf(rig, fleet, rounds, context)
  const endurance = minutes === undefined ? undefined : await endure(rig, fleet, minutes, context)
  fleet.stop()
  rig.way.close()
  for (const node of rig.nodes) await node.stop()
  const p99 = quantile(delays, 0.99)
  const figures = [median(delays), p99, Math.max(...delays)].map(whole)
  return {
    title: 'From a write to decisions in the process',
    how:
      `Two nodes over one PostgreSQL. ${connections} clients in ${programs} programs decide by the ruleset of node B. ` +
      'From the acknowledgement of a write on node A, at a random moment, until a client decides by it.',
    headings,
    textColumns: 1,
    rows: [
      ['a write, in each client', whole(delays.length), ...figures],
      ...(endurance && minutes !== undefined ? [rowOfEndurance(minutes, endurance)] : []),
    ],
    aims: [
      atMost('a change decides in a program on another node, 99 % within', p99, boundMs, ' ms'),
      ...(endurance ? [atMost('clients with an outdated decision after the endurance', endurance.stale, 0)] : []),
    ],
    notes: ['The programs share a core with PostgreSQL.'],
    faults: [],
  }
}

export const fleet: Part = { name: 'fleet', run }

/**
 * Nodes and organizations as discrete events. A node has one round in flight, and requests that arrive during it share the
 * next (docs/decisions/0008-rounds.md). Times are in ms.
 */
import { Database, type Costs } from './database.ts'
import { mulberry32 } from '../../packages/server/testkit/random.ts'
import { Events, Latencies, poisson } from './events.ts'

/** Requests per second at a node, by organization. */
export type Load = ReadonlyMap<number, number>

export interface Setup {
  readonly costs: Costs
  readonly nodes: readonly Load[]
  /** Number of clients of each node that send again when they are answered, instead of a rate. */
  readonly clients?: number
  readonly forMs: number
}

export interface Result {
  requestsPerSecond: number
  roundsPerSecond: number
  orgsARound: number
  /** Average wait of a round for rows. */
  lockWaitMs: number
  p50: number
  p99: number
  failedShare: number
  coresBusy: number
  rowBusy: number
  flushBusy: number
  nodeBusy: number
}

/** Number of requests per round whose latency is kept. */
const samplesARound = 8

interface Batch {
  readonly count: number
  /** Arrival times of some of its requests. */
  readonly arrivals: readonly number[]
}

/** What all nodes of a simulation share. */
interface Shared {
  readonly events: Events
  readonly database: Database
  readonly random: () => number
  readonly setup: Setup
  readonly latencies: Latencies
  readonly warmUpMs: number
}

class Node {
  readonly #shared: Shared
  readonly #rate: number
  readonly #orgs: readonly number[]
  /** Cumulative shares of the requests, by organization. */
  readonly #shares: readonly number[]
  /** Times at which clients send again. */
  #sendTimes: number[]
  #since = 0
  #processorFree = 0
  #isIdle = false
  busyMs = 0

  constructor(shared: Shared, load: Load) {
    this.#shared = shared
    const entries = [...load].toSorted(([a], [b]) => a - b)
    this.#orgs = entries.map(([org]) => org)
    this.#rate = entries.reduce((sum, [, rate]) => sum + rate, 0) / 1_000
    let sum = 0
    this.#shares = entries.map(([, rate]) => (sum += rate / 1_000) / this.#rate)
    const { clients = 0, costs } = shared.setup
    this.#sendTimes = Array.from({ length: clients }, () => shared.random() * clients * (costs.intake + costs.answer))
    if (this.#rate === 0 && clients === 0) return
    shared.events.at(1 + shared.random() * 5, () => this.#begin())
  }

  /** Takes the requests that have arrived by now. */
  #takeArrived(now: number): Batch {
    const { random, setup } = this.#shared
    if (setup.clients !== undefined) {
      const arrivals = this.#sendTimes.filter((at) => at <= now)
      this.#sendTimes = this.#sendTimes.filter((at) => at > now)
      return { count: arrivals.length, arrivals }
    }
    const expected = this.#rate * (now - this.#since)
    const count = poisson(expected, random)
    const from = this.#since
    return {
      count,
      arrivals: Array.from({ length: Math.min(count, samplesARound) }, () => from + random() * (now - from)),
    }
  }

  #begin(): void {
    const { events, setup, random } = this.#shared
    const { now } = events
    let batch = this.#takeArrived(now)
    const from = this.#since
    this.#since = now
    if (batch.count === 0) {
      this.#isIdle = setup.clients !== undefined
      if (this.#isIdle) return
      this.#since = now - Math.log(1 - random()) / this.#rate
      batch = { count: 1, arrivals: [this.#since] }
      events.at(this.#since, () => this.#send(batch, this.#since))
      return
    }
    this.#send(batch, from)
  }

  #send(batch: Batch, from: number): void {
    const { events, database, setup } = this.#shared
    const { intake, roundTrip } = setup.costs
    this.#processorFree = Math.max(this.#processorFree, from) + batch.count * intake
    const at = Math.max(events.now, this.#processorFree)
    this.busyMs += batch.count * intake
    const orgs = this.#orgsOf(batch.count)
    const done = (isAnswered: boolean): void => {
      events.at(events.now + roundTrip / 2, () => this.#answered(batch, isAnswered))
    }
    const statement = { rows: orgs, done, startedAt: 0, held: 0 }
    events.at(at + roundTrip / 2, () => database.run(statement))
  }

  #answered(batch: Batch, isAnswered: boolean): void {
    const { events, setup, latencies, warmUpMs } = this.#shared
    if (this.#processorFree > events.now) {
      events.at(this.#processorFree, () => this.#answered(batch, isAnswered))
      return
    }
    const { answer } = setup.costs
    const { count, arrivals } = batch
    this.#begin()
    const from = Math.max(events.now, this.#processorFree)
    arrivals.forEach((arrivedAt, i) => {
      const at = from + ((i + 1) / arrivals.length) * count * answer
      if (setup.clients !== undefined) this.#sendTimes.push(at)
      if (events.now < warmUpMs) return
      const weight = count / arrivals.length
      if (isAnswered) latencies.add(at - arrivedAt, weight)
      else latencies.failed += weight
    })
    this.#processorFree = from + count * answer
    this.busyMs += count * answer
    if (this.#isIdle && this.#sendTimes.length > 0) events.at(this.#processorFree, () => this.#begin())
  }

  #orgsOf(count: number): number[] {
    if (this.#orgs.length === 1) return [...this.#orgs]
    const places = new Set<number>()
    for (let i = 0; i < count && places.size < this.#orgs.length; i++) {
      const share = this.#shared.random()
      let [low, high] = [0, this.#shares.length - 1]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((this.#shares[middle] as number) < share) low = middle + 1
        else high = middle
      }
      places.add(low)
    }
    return [...places].toSorted((a, b) => a - b).map((place) => this.#orgs[place] as number)
  }
}

export function simulate(setup: Setup, seed = 1): Result {
  const events = new Events()
  const database = new Database(events, setup.costs)
  const warmUpMs = setup.forMs / 3
  const latencies = new Latencies()
  const shared = { events, database, random: mulberry32(seed), setup, latencies, warmUpMs }
  const nodes = setup.nodes.map((load) => new Node(shared, load))
  events.runUntil(warmUpMs)
  const before = { ...database.total }
  const heldBefore = new Map(database.heldMs)
  const busyBefore = nodes.map(({ busyMs }) => busyMs)
  events.runUntil(setup.forMs)
  const ms = setup.forMs - warmUpMs
  const { total, heldMs } = database
  const rounds = total.rounds - before.rounds
  let rowBusyMs = 0
  for (const [row, all] of heldMs) rowBusyMs = Math.max(rowBusyMs, all - (heldBefore.get(row) ?? 0))
  const all = latencies.answered + latencies.failed
  return {
    requestsPerSecond: (latencies.answered / ms) * 1_000,
    roundsPerSecond: (rounds / ms) * 1_000,
    orgsARound: (total.orgs - before.orgs) / rounds,
    lockWaitMs: (total.waitMs - before.waitMs) / rounds,
    p50: latencies.at(0.5),
    p99: latencies.at(0.99),
    failedShare: all === 0 ? 1 : latencies.failed / all,
    coresBusy: (total.coreMs - before.coreMs) / ms,
    rowBusy: rowBusyMs / ms,
    flushBusy: (total.flushMs - before.flushMs) / ms,
    nodeBusy: Math.max(...nodes.map(({ busyMs }, i) => busyMs - (busyBefore[i] as number))) / ms,
  }
}

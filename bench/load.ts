/**
 * The load: a number of connections, each of which sends its next request when it is answered or, at a given rate, when it
 * is due. It uses bare sockets, because a real HTTP client costs more than the measured servers. The job arrives as JSON on
 * stdin. The report leaves as JSON on stdout, after an empty line that marks the start of the measured time.
 */
import { connect, type Socket } from 'node:net'
import { cpus } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Pace } from './pacer.ts'
import { cpuMsOfFamily, stolenMs } from './processor-time.ts'

export interface Job {
  readonly port: number
  readonly protocol: keyof typeof protocols
  /** Process id of the server. Its processor time is measured, with that of the processes that it starts. */
  readonly pid: number
  readonly connections: number
  /** Time before the measurement, in which both sides warm up. */
  readonly leadSeconds: number
  readonly seconds: number
  /** Requests per second of all connections together. Undefined to send each request as soon as the one before it is answered. */
  readonly rate?: number | undefined
  /** Length of the body that every answer must have. Undefined if lengths differ. */
  readonly bodyBytes?: number | undefined
  /** Requests with their heads, in base64. Each connection sends them in turn, each from a different start. */
  readonly requests: readonly string[]
  /** A text of every request, in whose place each one sent has a separate number. Undefined to send them as they are. */
  readonly mark?: string | undefined
}

/** A period, in µs of the monotonic clock. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

export interface LoadReport {
  /** Number of good answers in total. */
  readonly answered: number
  /** Number of good answers within the measured time. */
  readonly measured: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Server's processor time per answer. Absent without /proc. */
  readonly serverCpuUs?: number
  /** Share of the measured time in which the server kept a processor busy. */
  readonly serverBusy?: number
  /** Share of all processors that the host of a virtual machine took away in that time, or 0 if unknown. */
  readonly stolen: number
  /** Measured time, in µs of the monotonic clock. */
  readonly stretch: Stretch
  readonly errors: Errors
}

/** Counts of errors, by kind. */
export interface Errors {
  /** Status other than 200. */
  status: number
  /** Unexpected length, or an answer that cannot be parsed. */
  shape: number
  /** Connection that the server closed or that never opened. */
  closed: number
  /** Answer that did not arrive in time. */
  late: number
}

const bucketMs = 0.01
const buckets = 200_000
const drainTimeoutMs = 10_000
const connectMs = 100

/** Framing of an answer: its head up to `headEnd`, a body of the length in the head, and `tail` more bytes. */
const protocols = {
  http: { headEnd: Buffer.from('\r\n\r\n'), good: 'HTTP/1.1 200', length: /\r\ncontent-length: (\d+)/i, tail: 0 },
  /** Answer of Redis to GET. */
  resp: { headEnd: Buffer.from('\r\n'), good: '$', length: /^\$(\d+)/, tail: 2 },
} as const

// Sockets are read one after the other and no part of an answer is kept, so all can read into the same memory.
const memory = Buffer.allocUnsafeSlow(256 * 1024)

/** Latencies in buckets of 10 µs, up to 2 s. */
class Histogram {
  readonly #counts = new Uint32Array(buckets)
  count = 0

  add(milliseconds: number): void {
    const bucket = Math.min(buckets - 1, Math.floor(milliseconds / bucketMs))
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.count++
  }

  quantile(share: number): number {
    let left = this.count * share
    const bucket = this.#counts.findIndex((count) => (left -= count) <= 0)
    return (bucket + 0.5) * bucketMs
  }
}

class Load {
  readonly job: Job
  readonly requests: readonly Buffer[]
  readonly histogram = new Histogram()
  readonly errors: Errors = { status: 0, shape: 0, closed: 0, late: 0 }
  answered = 0
  /** Measured time, on the clock of `performance`. */
  from = Infinity
  to = Infinity
  stopping = false
  /** The next number of a request. It is larger than those of all loads before. */
  #number = process.hrtime.bigint() / 1_000n

  constructor(job: Job) {
    this.job = job
    this.requests = job.requests.map((request) => Buffer.from(request, 'base64'))
  }

  /** Returns a request to send. */
  request(index: number): Buffer {
    const request = this.requests[index % this.requests.length] as Buffer
    const { mark } = this.job
    if (mark === undefined) return request
    const numbered = Buffer.from(request)
    numbered.write(String(this.#number++).padStart(mark.length, '0'), request.indexOf(mark), 'latin1')
    return numbered
  }
}

class Connection {
  readonly #load: Load
  readonly #socket: Socket
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
  /** Undefined while no request is in flight. */
  #sentAt: number | undefined
  /** Due times of the requests that wait for an earlier answer. */
  readonly #due: number[] = []
  #next: number
  /** Remaining bytes of the answer. Undefined until the head is complete. */
  #missing: number | undefined
  /** Pieces of a head that is not complete yet. */
  #head: Buffer | undefined
  #isGood = false
  #done = false

  constructor(load: Load, index: number) {
    this.#load = load
    this.#next = index
    this.#socket = connect({
      port: load.job.port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: memory,
        callback: (length) => {
          this.#read(memory.subarray(0, length))
          return true
        },
      },
    })
    if (load.job.rate === undefined) this.#socket.on('connect', () => this.#send(performance.now()))
    this.#socket.on('error', () => this.#socket.destroy())
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', () => {
        if (!this.#done) load.errors.closed++
        resolve()
      })
    })
  }

  /**
   * Sends a request at the given rate. Its latency counts from its due time, also while the connection still waits for an
   * earlier answer, so that one slow answer does not hide the requests that should have followed it.
   */
  due(at: number): void {
    if (this.#sentAt === undefined) this.#send(at)
    else this.#due.push(at)
  }

  #send(at: number): void {
    this.#sentAt = at
    this.#socket.write(this.#load.request(this.#next++))
  }

  #read(chunk: Buffer): void {
    if (this.#missing === undefined) this.#readHead(this.#head ? Buffer.concat([this.#head, chunk]) : chunk)
    else this.#missing -= chunk.length
    if (this.#missing === 0) this.#finish()
    else if (this.#missing !== undefined && this.#missing < 0) this.#fail('shape')
  }

  #readHead(bytes: Buffer): void {
    const { headEnd, length: pattern, tail } = protocols[this.#load.job.protocol]
    const end = bytes.indexOf(headEnd)
    if (end < 0) {
      this.#head = Buffer.from(bytes)
      return
    }
    this.#head = undefined
    const head = bytes.toString('latin1', 0, end)
    const length = Number(pattern.exec(head)?.[1])
    if (Number.isNaN(length)) {
      this.#fail('shape')
      return
    }
    this.#judge(head, length)
    this.#missing = end + headEnd.length + length + tail - bytes.length
  }

  #judge(head: string, length: number): void {
    const { errors, job } = this.#load
    const isOk = head.startsWith(protocols[job.protocol].good)
    this.#isGood = isOk && length === (job.bodyBytes ?? length)
    if (!isOk) errors.status++
    else if (!this.#isGood) errors.shape++
  }

  #finish(): void {
    const load = this.#load
    const { from, to, job } = load
    const now = performance.now()
    const sentAt = this.#sentAt as number
    // At a rate, requests that were due in the measured time count, however late their answers are.
    const countsAt = job.rate === undefined ? now : sentAt
    this.#missing = undefined
    this.#sentAt = undefined
    if (this.#isGood) {
      load.answered++
      if (countsAt >= from && countsAt < to) load.histogram.add(now - sentAt)
    }
    const next = job.rate === undefined && !load.stopping ? now : this.#due.shift()
    if (next !== undefined) this.#send(next)
    else if (load.stopping) this.#end()
  }

  /** Sends no further request. Requests in flight or already due may still be answered. */
  stop(): void {
    if (this.#sentAt === undefined) this.#end()
  }

  #fail(kind: keyof Errors): void {
    this.#load.errors[kind]++
    this.#end()
  }

  #end(): void {
    this.#done = true
    this.#socket.destroy()
  }

  giveUp(): void {
    if (!this.#done) this.#fail('late')
  }
}

/** Clock time and the processor times used so far. */
interface Times {
  readonly atUs: number
  readonly serverMs: number | undefined
  readonly stolenMs: number
}

function timesNow(pid: number): Times {
  return {
    atUs: Number(process.hrtime.bigint() / 1_000n),
    serverMs: cpuMsOfFamily(pid),
    stolenMs: stolenMs(),
  }
}

function report({ answered, histogram, errors }: Load, from: Times, to: Times): LoadReport {
  const elapsedMs = (to.atUs - from.atUs) / 1_000
  const serverMs = (to.serverMs ?? Number.NaN) - (from.serverMs ?? Number.NaN)
  return {
    answered,
    measured: histogram.count,
    perSecond: (histogram.count / elapsedMs) * 1_000,
    p50Ms: histogram.quantile(0.5),
    p99Ms: histogram.quantile(0.99),
    ...(!Number.isNaN(serverMs) && {
      serverCpuUs: (serverMs / histogram.count) * 1_000,
      serverBusy: serverMs / elapsedMs,
    }),
    stolen: (to.stolenMs - from.stolenMs) / elapsedMs / cpus().length,
    stretch: { from: from.atUs, to: to.atUs },
    errors,
  }
}

/** Makes the connections send in turn, at a rate for all of them together. */
function startPacer(rate: number, connections: readonly Connection[]): Worker {
  const period = 1e9 / rate
  const firstAt = performance.now() + connectMs
  const pace: Pace = { start: process.hrtime.bigint() + BigInt(connectMs * 1e6), period }
  const pacer = new Worker(new URL('pacer.ts', import.meta.url), { workerData: pace })
  return pacer.on('message', (count: number) => {
    connections[count % connections.length]?.due(firstAt + (count * period) / 1e6)
  })
}

async function run(job: Job): Promise<LoadReport> {
  const load = new Load(job)
  const connections = Array.from({ length: job.connections }, (_, index) => new Connection(load, index))
  const pacer = job.rate === undefined ? undefined : startPacer(job.rate, connections)
  await sleep(job.leadSeconds * 1_000)
  const from = timesNow(job.pid)
  load.from = performance.now()
  process.stdout.write('\n')
  await sleep(job.seconds * 1_000)
  load.to = performance.now()
  const to = timesNow(job.pid)
  load.stopping = true
  await pacer?.terminate()
  for (const connection of connections) connection.stop()
  const timer = setTimeout(() => connections.forEach((connection) => connection.giveUp()), drainTimeoutMs)
  await Promise.all(connections.map(({ closed }) => closed))
  clearTimeout(timer)
  return report(load, from, to)
}

console.log(JSON.stringify(await run(JSON.parse(await text(process.stdin)) as Job)))

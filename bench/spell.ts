/** Runs load against servers in turn, so that disturbances of the machine affect all alike. */
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Job, LoadReport } from './load.ts'
import { loadCore, startProgram } from './machine.ts'
import type { Target } from './target.ts'

/** Amount and duration of load. */
export interface Plan {
  readonly rounds: number
  readonly seconds: number
  readonly warmupSeconds: number
  readonly connections: number
  /** Requests per second. Undefined to send each request as soon as the one before it is answered. */
  readonly rate?: number
}

/** A server and its requests. */
export interface Contender extends Pick<Job, 'bodyBytes' | 'mark'> {
  readonly target: Target
  readonly requests: readonly Buffer[]
  readonly protocol?: Job['protocol']
  /** Waits for what its requests leave to be done, so that the next spell is not beside it. */
  readonly settled?: () => Promise<void>
}

export interface Measured {
  readonly rounds: readonly LoadReport[]
  /** Number of good answers, including those of the warm-up. */
  readonly answered: number
}

const loadScript = path.join(import.meta.dirname, 'load.ts')
const usualLeadSeconds = 0.3
/** At a low rate, the load itself takes longer to warm up. */
const usualLeadSecondsAtRate = 1

/** Builds a request with the same host for all servers, because their ports may differ in length. */
export function httpRequest(
  method: string,
  where: string,
  authorization?: string,
  body = '',
  headers: readonly string[] = [],
): Buffer {
  const head = [
    `${method} ${where} HTTP/1.1`,
    'host: rollkey.example',
    ...(authorization === undefined ? [] : [`authorization: ${authorization}`]),
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

interface LoadOptions extends Pick<Plan, 'seconds' | 'connections' | 'rate'> {
  /** How long both sides warm up before the measurement. */
  readonly leadSeconds?: number
}

/** Runs one load in a separate process. Calls `onMeasuring` when the measured time begins. */
export async function load(
  { target, requests, protocol = 'http', bodyBytes, mark }: Contender,
  {
    seconds,
    connections,
    rate,
    leadSeconds = rate === undefined ? usualLeadSeconds : usualLeadSecondsAtRate,
  }: LoadOptions,
  onMeasuring?: () => void,
): Promise<LoadReport> {
  const { port, pid } = target
  const encoded = requests.map((request) => request.toString('base64'))
  const job: Job = { port, pid, protocol, connections, rate, leadSeconds, seconds, bodyBytes, requests: encoded, mark }
  const child = startProgram(loadCore, process.execPath, [loadScript], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin?.end(JSON.stringify(job))
  let report = ''
  for await (const chunk of child.stdout as Readable) {
    if (report === '') onMeasuring?.()
    report += String(chunk)
  }
  if (report.trim() === '') throw new Error('the load ended without a report; see its error above')
  return JSON.parse(report) as LoadReport
}

/** Warms up all servers, then measures them in turn. Calls `tell` with the current step. */
export async function alternate<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  plan: Plan,
  tell: (what: string) => void,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(contenders) as Name[]
  const measured = {} as Record<Name, { rounds: LoadReport[]; answered: number }>
  for (const name of names) {
    tell(`warming ${name} up`)
    const { warmupSeconds: seconds, connections } = plan
    measured[name] = { rounds: [], answered: (await load(contenders[name], { seconds, connections })).answered }
    await contenders[name].settled?.()
  }
  for (let round = 1; round <= plan.rounds; round++) {
    tell(`round ${round} of ${plan.rounds}`)
    for (const name of names) {
      const report = await load(contenders[name], plan)
      await contenders[name].settled?.()
      measured[name].answered += report.answered
      measured[name].rounds.push(report)
    }
  }
  return measured
}

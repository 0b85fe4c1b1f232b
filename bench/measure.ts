/** A scenario, measured: bare and Rollkey in turn, so that what the machine does meanwhile hits both alike. */
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Job, LoadReport } from './load.ts'
import { loadCore, startNode } from './machine.ts'
import type { Answer, Scenario } from './scenarios.ts'
import { countedOf, login, post, startBare, type Home, type Target } from './target.ts'

export interface Plan {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  /** Requests a second; undefined: as many as are answered. */
  readonly rate: number | undefined
  readonly warmupSeconds: number
}

export interface Outcome {
  readonly scenario: Scenario
  readonly requestBytes: number
  readonly bodyBytes: number
  readonly rounds: readonly { readonly bare: LoadReport; readonly rollkey: LoadReport }[]
  /** Requests that Rollkey answered with 200, and evaluations that it counted, of the scenario's stage. */
  readonly answered: number
  readonly counted: number
}

/** A scenario whose variables are stored and whose answer was seen to be right. */
export interface Prepared {
  /** All of one length. */
  readonly requests: readonly Buffer[]
  readonly bodyBytes: number
  /** Requests answered so far, all of them counted by the service. */
  readonly answered: number
}

const user = 'ada'
const org = 'demo'
const project = 'bench'
const leadSeconds = 0.3
const loadScript = path.join(import.meta.dirname, 'load.ts')

function requestBytes(where: string, token: string, body: string): Buffer {
  // The same host for both servers: their ports need not have the same number of digits.
  const head = [
    `POST ${where} HTTP/1.1`,
    'host: rollkey.example',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Signs in, stores the variables, and asks once. Throws if the answer is not right. */
export async function prepare(scenario: Scenario, { url }: Target, home: Home): Promise<Prepared> {
  const token = await login(home, user, org)
  const stage = { orgSlug: org, projectSlug: project, stageSlug: scenario.name }
  await post(`${url}/v1/env/write`, { ...stage, mode: 'upsert', entries: scenario.entries }, token)
  const bodies = scenario.bodies.map((body) => ({ ...stage, ...body }))
  const answer = await post<Answer>(url + scenario.path, bodies[0] ?? {}, token)
  if (!scenario.isRight(answer)) throw new Error(`the answer to "${scenario.title}" is not what was written`)
  return {
    requests: bodies.map((body) => requestBytes(scenario.path, token, JSON.stringify(body))),
    bodyBytes: Buffer.byteLength(JSON.stringify(answer)),
    answered: 1,
  }
}

/** One spell of load on a target, from a process of its own. */
export async function load(
  { url, pid }: Target,
  { requests, bodyBytes }: Prepared,
  seconds: number,
  { connections, rate }: Pick<Plan, 'connections' | 'rate'>,
): Promise<LoadReport> {
  const port = Number(new URL(url).port)
  const encoded = requests.map((request) => request.toString('base64'))
  const job: Job = { port, pid, connections, rate, leadSeconds, seconds, bodyBytes, requests: encoded }
  const child = startNode(loadCore, [loadScript], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin?.end(JSON.stringify(job))
  const report = await text(child.stdout as Readable)
  if (report === '') throw new Error('the load ended without a report')
  return JSON.parse(report) as LoadReport
}

/** Measures; `tell` hears what is under way. */
export async function measure(
  scenario: Scenario,
  plan: Plan,
  rollkey: Target,
  home: Home,
  tell: (what: string) => void,
): Promise<Outcome> {
  tell(`${scenario.title}: preparing`)
  const prepared = await prepare(scenario, rollkey, home)
  const bare = await startBare(prepared.bodyBytes)
  const spell = (target: Target, seconds = plan.seconds): Promise<LoadReport> => load(target, prepared, seconds, plan)
  tell(`${scenario.title}: warming up`)
  await spell(bare, plan.warmupSeconds)
  let { answered } = await spell(rollkey, plan.warmupSeconds)
  const rounds: { bare: LoadReport; rollkey: LoadReport }[] = []
  for (let round = 1; round <= plan.rounds; round++) {
    tell(`${scenario.title}: round ${round} of ${plan.rounds}`)
    const pair = { bare: await spell(bare), rollkey: await spell(rollkey) }
    answered += pair.rollkey.answered
    rounds.push(pair)
  }
  await bare.stop()
  return {
    scenario,
    requestBytes: prepared.requests[0]?.length ?? 0,
    bodyBytes: prepared.bodyBytes,
    rounds,
    answered: answered + prepared.answered,
    counted: await countedOf(home, scenario.name),
  }
}

import { Agent, request as httpRequest } from 'node:http'
import { median } from '../figures.ts'
import type { Aim, Context, Part, Section } from '../part.ts'
import { cpuMsOf } from '../processor-time.ts'
import { storeTitles } from '../stores.ts'
import { call, org, startBare, startService, type Service, type Target } from '../target.ts'

const usual = { rounds: 15, seconds: 0, warmupSeconds: 0, connections: 16 }
const requests = 10_000
const headings = ['store', 'request', 'CPU µs', 'of evaluate (rounds)', 'aim']
const place = { projectSlug: 'shop', stageSlug: 'prod' }
const below = '/projects/shop/stages/prod/ofrep/v1/evaluate/flags'
const user = { seed: 'user-4711', key: 'checkout' }
const context = { targetingKey: user.seed, rollKey: user.key }

interface Load {
  readonly what: string
  readonly path: string
  readonly body: object
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Maximum processor time, as a multiple of that of evaluate. */
  readonly bound?: number
}

const evaluate: Load = {
  what: 'evaluate an A/B roll',
  path: '/v1/env/evaluate',
  body: { orgSlug: org, ...place, name: 'ROLL_1', ...user },
  status: 200,
}

/** What HTTP alone takes for such a request. The bare server answers each path. */
const bare: Load = { what: 'the same to a bare node:http', path: below, body: { context }, status: 200 }

function loadsOf(etag: string): readonly [Load, ...Load[]] {
  return [
    evaluate,
    { what: 'the same by OFREP', path: `${below}/ROLL_1`, body: { context }, status: 200, bound: 1.1 },
    { what: 'all 20 by OFREP', path: below, body: { context }, status: 200 },
    {
      what: 'all 20 by OFREP, unchanged: 304',
      path: below,
      body: { context },
      status: 304,
      headers: { 'if-none-match': etag },
      bound: 0.6,
    },
  ]
}

const agent = new Agent({ keepAlive: true })

/** Sends a request and returns its tag. Throws unless the answer has the status. */
function send(
  { url, token = '' }: Target & { readonly token?: string },
  { path, body, status, headers }: Load,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const sent = httpRequest(
      `${url}${path}`,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          authorization: `Bearer ${token}`,
          ...headers,
        },
      },
      (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === status) resolve(response.headers.etag ?? '')
          else reject(new Error(`${path} was answered ${response.statusCode} (expected ${status})`))
        })
      },
    )
    sent.on('error', reject).end(text)
  })
}

/** Returns the processor time of the service for a request, in microseconds. */
async function measure(service: Target, load: Load, connections: number): Promise<number> {
  const before = cpuMsOf(service.pid) ?? Number.NaN
  let left = requests
  const work = async (): Promise<void> => {
    while (left-- > 0) await send(service, load)
  }
  await Promise.all(Array.from({ length: connections }, work))
  return (((cpuMsOf(service.pid) ?? Number.NaN) - before) * 1_000) / requests
}

async function fill(service: Service): Promise<void> {
  const entries = Array.from({ length: 20 }, (_, index) => ({
    name: `ROLL_${index}`,
    kind: 'ab_roll',
    valueA: 'on'.padEnd(32, '='),
    valueB: 'off'.padEnd(32, '='),
    chance: 0.5,
  }))
  await call(service, '/v1/env/write', { ...place, mode: 'upsert', entries })
}

function aimOf({ what, bound = 0 }: Load, store: string, ratio: number): Aim {
  return {
    what: `${what}, ${store}: times evaluate`,
    bound: `≤ ${bound}`,
    figure: ratio.toFixed(2),
    isMet: ratio <= bound,
  }
}

async function run({ stores, storeNames, plan, tell }: Context): Promise<Section> {
  const { rounds, connections } = plan(usual)
  const rows: string[][] = []
  const aims: Aim[] = []
  for (const store of storeNames) {
    const service = await startService(await stores.newHome(store))
    await fill(service)
    const floor = await startBare(16)
    // An answer has another tag each time that its stream gets a new address.
    const loadsNow = async () => [
      ...loadsOf(await send(service, { ...evaluate, path: below, body: { context } })),
      bare,
    ]
    const loads = await loadsNow()
    const measured = (load: Load) => measure(load === bare ? floor : service, load, connections)
    for (const load of loads) await measured(load)
    const figures = loads.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      tell(`round ${round + 1} of ${rounds}`)
      // In turn, so that what disturbs the machine disturbs all of them.
      for (const [index, load] of (await loadsNow()).entries()) figures[index]?.push(await measured(load))
    }
    await service.stop()
    await floor.stop()
    const [base = []] = figures
    for (const [index, load] of loads.entries()) {
      const ratios = (figures[index] ?? []).map((figure, round) => figure / (base[round] ?? Number.NaN))
      const [ratio, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)]
      const aim = load.bound === undefined ? undefined : aimOf(load, storeTitles[store], ratio)
      if (aim) aims.push(aim)
      rows.push([
        storeTitles[store],
        load.what,
        median(figures[index] ?? []).toFixed(1),
        index === 0 ? '' : `${ratio.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`,
        aim ? `${aim.bound} ${aim.isMet ? '✓' : '✗'}` : '',
      ])
    }
  }
  agent.destroy()
  return {
    title: 'OFREP',
    how:
      `${rounds} rounds of ${requests} requests over ${connections} connections, each kind in turn. ` +
      'CPU is the time of the service for a request, all its threads included, and a ratio is the median of the rounds.',
    headings,
    textColumns: 2,
    rows,
    aims,
    notes: [],
    faults: [],
  }
}

export const ofrep: Part = { name: 'ofrep', run }

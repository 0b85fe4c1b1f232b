/** Measures what works beside requests: writes and evaluations of a service with it, against one without. */
import { project } from './compare.ts'
import { faultsOf, median, mediansOf, perSecondOf, ratiosOf, spanText, whole } from './figures.ts'
import { atLeast, type Aim, type Context } from './part.ts'
import { entriesOf } from './scenarios.ts'
import { alternate, httpRequest, type Contender, type Measured } from './spell.ts'
import { storeTitles, type StoreName } from './stores.ts'
import { call, org, type Service } from './target.ts'

const usual = { rounds: 9, seconds: 1, warmupSeconds: 2, connections: 16 }
/** How long passes between two writes beside evaluations. */
const writeEveryMs = 250
const entries = entriesOf(15, 5)
const stage = { projectSlug: project, stageSlug: 'beside' }

export interface Pair {
  readonly store: StoreName
  /** What the second service has, as in "times with receivers". */
  readonly what: string
  /** The one without it, and the one with it. */
  readonly services: readonly [Service, Service]
  /** Waits for what the writes of the second leave to be done. */
  readonly settled?: () => Promise<void>
}

export interface BesideFigures {
  readonly row: string[]
  readonly aim: Aim
  readonly faults: readonly string[]
  readonly measured: Readonly<Record<'without' | 'with', Measured>>
}

export const besideHeadings = ['request', 'store', 'req/s without', 'with', 'CPU µs without', 'with', 'ratio (rounds)']

type Load = readonly [name: 'evaluations' | 'writes', where: string, bodies: readonly object[]]

const loads: readonly Load[] = [
  ['evaluations', '/v1/env/evaluate', [{ name: entries[0]?.name }]],
  // Last, because they leave work that waits.
  ['writes', '/v1/env/write', entries.map(write)],
]

function write(entry: object): object {
  return { mode: 'upsert', entries: [entry] }
}

/** Returns a request of the API as a contender. */
async function contenderOf(
  service: Service,
  [, where, bodies]: Load,
  settled?: () => Promise<void>,
): Promise<Contender> {
  const requests = bodies.map((body) =>
    httpRequest('POST', where, `Bearer ${service.token}`, JSON.stringify({ orgSlug: org, ...stage, ...body })),
  )
  for (const body of bodies) await call(service, where, { ...stage, ...body })
  return { target: service, requests, bodyBytes: undefined, ...(settled && { settled }) }
}

/** Writes to services at a steady rate. Returns a function that ends it. */
function writeBeside(services: readonly Service[]): () => Promise<void> {
  let writing = Promise.resolve()
  let number = 0
  const timer = setInterval(() => {
    const body = { ...stage, ...write(entries[number++ % entries.length] as object) }
    const before = writing
    writing = (async () => {
      await before
      await Promise.all(services.map((service) => call(service, '/v1/env/write', body)))
    })()
  }, writeEveryMs)
  return () => {
    clearInterval(timer)
    return writing
  }
}

async function measure(load: Load, { store, what, services, settled }: Pair, { plan, tell }: Context) {
  const [name] = load
  const isWrites = name === 'writes'
  const endWrites = isWrites ? async () => undefined : writeBeside(services)
  const contenders = {
    without: await contenderOf(services[0], load),
    // Both share a core, so what is still to be done would slow the other one down.
    with: await contenderOf(services[1], load, isWrites ? settled : undefined),
  }
  const measured = await alternate(contenders, plan(usual), tell)
  await endWrites()
  const ratios = isWrites
    ? ratiosOf(measured.with, measured.without, perSecondOf)
    : ratiosOf(measured.without, measured.with, ({ serverCpuUs }) => serverCpuUs)
  const medians = [mediansOf(measured.without), mediansOf(measured.with)]
  const perSecond = medians.map((each) => whole(each.perSecond))
  const cpuUs = medians.map((each) => each.cpuUs.toFixed(1))
  const figure = isWrites ? 'writes a second' : `processor time of an evaluation without ${what}`
  const title = storeTitles[store]
  return {
    row: [name, title, ...perSecond, ...cpuUs, spanText(ratios)],
    aim: atLeast(`${figure}, ${title}: times with ${what}`, median(ratios), 0.95),
    faults: faultsOf(`${name}, ${title}`, measured.without, measured.with),
    measured,
  }
}

/** Measures evaluations, and then writes. */
export async function measureBeside(pair: Pair, context: Context): Promise<BesideFigures[]> {
  for (const service of pair.services) await call(service, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  const figures: BesideFigures[] = []
  for (const load of loads) figures.push(await measure(load, pair, context))
  return figures
}

/** Returns how the load comes, as a sentence of a section. */
export function besideLoadText({ plan }: Context): string {
  return `Writes come as fast as ${plan(usual).connections} connections take them; beside evaluations, each service gets ${1_000 / writeEveryMs} writes a second.`
}

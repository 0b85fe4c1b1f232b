import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { project } from '../compare.ts'
import { faultsOf, median, mediansOf, perSecondOf, ratiosOf, spanText, whole } from '../figures.ts'
import { atLeast, type Aim, type Context, type Part, type Section } from '../part.ts'
import { entriesOf } from '../scenarios.ts'
import { alternate, httpRequest, type Contender } from '../spell.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import { call, org, startService, type Service } from '../target.ts'

const usual = { rounds: 9, seconds: 1, warmupSeconds: 2, connections: 16 }
const hooks = 10
/** How long passes between two writes beside evaluations. */
const writeEveryMs = 250
const entries = entriesOf(15, 5)
const stage = { projectSlug: project, stageSlug: 'receivers' }

/** Starts a receiver of webhooks and of the audit stream, which accepts everything. */
async function startReceiver(): Promise<{
  server: Server
  url: string
  received: () => number
  quiet: () => Promise<void>
}> {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end())
    received++
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  /** Resolves when nothing has arrived for a second. */
  async function quiet(): Promise<void> {
    for (let before = -1; before !== received;) {
      before = received
      await sleep(1_000)
    }
  }
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received: () => received, quiet }
}

/** Returns a request of the API as a contender. `settled`: waits for what the requests leave behind. */
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

function write(entry: object): object {
  return { mode: 'upsert', entries: [entry] }
}

type Load = readonly [name: string, where: string, bodies: readonly object[]]

const loads: readonly Load[] = [
  ['evaluations', '/v1/env/evaluate', [{ name: entries[0]?.name }]],
  // Last, because they leave messages that wait.
  ['writes', '/v1/env/write', entries.map(write)],
]

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

/** Starts a service without receivers, and one with them. */
async function startBoth({ stores }: Context, store: StoreName, url: string): Promise<readonly [Service, Service]> {
  const home = await stores.newHome(store)
  const settings = { ...home.settings, ROLLKEY_HOOK_NETWORKS: '127.0.0.0/8', ROLLKEY_AUDIT_STREAM: `${url}/audit` }
  const services = [await startService(await stores.newHome(store)), await startService({ ...home, settings })] as const
  for (let hook = 0; hook < hooks; hook++)
    await call(services[1], '/v1/hooks/create', { name: `Hook ${hook}`, url: `${url}/${hook}` })
  for (const service of services) await call(service, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  return services
}

interface Figures {
  readonly row: string[]
  readonly aim: Aim
  readonly faults: readonly string[]
}

async function measure(
  request: Load,
  services: readonly [Service, Service],
  { plan, tell }: Context,
  { title, quiet }: { readonly title: string; readonly quiet: () => Promise<void> },
): Promise<Figures> {
  const [name] = request
  const isWrites = name === 'writes'
  const endWrites = isWrites ? async () => undefined : writeBeside(services)
  const [without, withThem] = services
  const contenders = {
    without: await contenderOf(without, request),
    // Both share a core, so what is still to be delivered would slow the other one down.
    with: await contenderOf(withThem, request, isWrites ? quiet : undefined),
  }
  const measured = await alternate(contenders, plan(usual), tell)
  await endWrites()
  const ratios = isWrites
    ? ratiosOf(measured.with, measured.without, perSecondOf)
    : ratiosOf(measured.without, measured.with, ({ serverCpuUs }) => serverCpuUs)
  const medians = [mediansOf(measured.without), mediansOf(measured.with)]
  const perSecond = medians.map((each) => whole(each.perSecond))
  const cpuUs = medians.map((each) => each.cpuUs.toFixed(1))
  const figure = isWrites ? 'writes a second' : 'processor time of an evaluation without receivers'
  return {
    row: [name, title, ...perSecond, ...cpuUs, spanText(ratios)],
    aim: atLeast(`${figure}, ${title}: times with them`, median(ratios), 0.95),
    faults: faultsOf(`${name}, ${title}`, measured.without, measured.with),
  }
}

async function run(context: Context): Promise<Section> {
  const figures: Figures[] = []
  const faults: string[] = []
  for (const store of context.storeNames) {
    const { server, url, received, quiet } = await startReceiver()
    const services = await startBoth(context, store, url)
    for (const load of loads) figures.push(await measure(load, services, context, { title: storeTitles[store], quiet }))
    if (received() === 0) faults.push(`${storeTitles[store]}: nothing was received`)
    await Promise.all(services.map((service) => service.stop()))
    server.close()
  }
  return {
    title: 'Webhooks and the audit stream',
    how:
      `Two services with the same load: one with ${hooks} webhooks of all events and an audit stream, whose receiver accepts everything, and one without. ` +
      `Writes come as fast as ${context.plan(usual).connections} connections take them; beside evaluations, each service gets ${1_000 / writeEveryMs} writes a second.`,
    headings: ['request', 'store', 'req/s without', 'with', 'CPU µs without', 'with', 'ratio (rounds)'],
    textColumns: 2,
    rows: figures.map(({ row }) => row),
    aims: figures.map(({ aim }) => aim),
    notes: ['The receiver is on the core of the load.'],
    faults: [...faults, ...figures.flatMap((each) => each.faults)],
  }
}

export const receivers: Part = { name: 'receivers', run }

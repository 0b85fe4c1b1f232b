import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { besideHeadings, besideLoadText, measureBeside, type BesideFigures } from '../beside.ts'
import type { Context, Part, Section } from '../part.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import { call, startService, type Service } from '../target.ts'

const hooks = 10

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

/** Starts a service without receivers, and one with them. */
async function startBoth({ stores }: Context, store: StoreName, url: string): Promise<readonly [Service, Service]> {
  const home = await stores.newHome(store)
  const settings = { ...home.settings, ROLLKEY_HOOK_NETWORKS: '127.0.0.0/8', ROLLKEY_AUDIT_STREAM: `${url}/audit` }
  const services = [await startService(await stores.newHome(store)), await startService({ ...home, settings })] as const
  for (let hook = 0; hook < hooks; hook++)
    await call(services[1], '/v1/hooks/create', { name: `Hook ${hook}`, url: `${url}/${hook}` })
  return services
}

async function run(context: Context): Promise<Section> {
  const figures: BesideFigures[] = []
  const faults: string[] = []
  for (const store of context.storeNames) {
    const { server, url, received, quiet } = await startReceiver()
    const services = await startBoth(context, store, url)
    figures.push(...(await measureBeside({ store, what: 'receivers', services, settled: quiet }, context)))
    if (received() === 0) faults.push(`${storeTitles[store]}: nothing was received`)
    await Promise.all(services.map((service) => service.stop()))
    server.close()
  }
  return {
    title: 'Webhooks and the audit stream',
    how:
      `Two services with the same load: one with ${hooks} webhooks of all events and an audit stream, whose receiver accepts everything, and one without. ` +
      besideLoadText(context),
    headings: besideHeadings,
    textColumns: 2,
    rows: figures.map(({ row }) => row),
    aims: figures.map(({ aim }) => aim),
    notes: ['The receiver is on the core of the load.'],
    faults: [...faults, ...figures.flatMap((each) => each.faults)],
  }
}

export const receivers: Part = { name: 'receivers', run }

/** OpenFeature's OFREP provider for the web, unmodified, in a page whose origin differs from that of the service. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPage, useBrowser } from '../../../dashboard/test/browser/steps.ts'
import { TestClock } from '../../../server/testkit/clock.ts'
import { roll, secret } from '../../../server/testkit/entries.ts'
import {
  newOwner,
  newServiceToken,
  startTestEnv,
  useTestEnv,
  write,
  type TestEnv,
  type TestTenant,
} from '../../../server/testkit/test-env.ts'

/** In a quarter of an hour, all answers offer the same stream and have the same tag. The clock of the service starts with one. */
const quarterMs = 15 * 60_000
const testEnv = useTestEnv({}, new TestClock(Math.floor(Date.now() / quarterMs) * quarterMs))
const browser = useBrowser()
let site: Server

/** The files of the packages as npm installed them, by the names under which they import each other. */
const require = createRequire(import.meta.url)
const provider = path.dirname(require.resolve('@openfeature/ofrep-web-provider/package.json'))
const modules: Record<string, string> = {
  '@openfeature/core': path.resolve(require.resolve('@openfeature/core'), '../../esm/index.js'),
  '@openfeature/web-sdk': path.resolve(require.resolve('@openfeature/web-sdk'), '../../esm/index.js'),
  '@openfeature/ofrep-core': path.join(provider, 'node_modules/@openfeature/ofrep-core/index.esm.js'),
  '@openfeature/ofrep-web-provider': path.join(provider, 'index.esm.js'),
}
const imports = Object.fromEntries(Object.keys(modules).map((name) => [name, `/${name}`]))
const html = `<!doctype html><title>A shop</title><script type="importmap">${JSON.stringify({ imports })}</script>`

beforeAll(async () => {
  site = createServer(({ url = '' }, response) => {
    const file = modules[url.slice(1)]
    if (file === undefined) response.setHeader('content-type', 'text/html').end(html)
    else response.setHeader('content-type', 'text/javascript').end(readFileSync(file))
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
})
afterAll(() => site.close())

interface Shop extends TestTenant {
  readonly key: string
  readonly keyId: string
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function exposed(entry: object): object {
  return { ...entry, exposure: 'client' }
}

/** Creates an owner with a stage, and a client key for the page. */
async function newShop(env: TestEnv = testEnv): Promise<Shop> {
  const tenant = await newOwner(env)
  const entries = [
    secret('TEXT', 'hi'),
    secret('FLAG', 'true', 'boolean'),
    secret('COUNT', '10', 'int64'),
    secret('LAYOUT', '{"columns":3}', 'json'),
    roll('HALF', 0.5),
  ]
  await write(env, tenant, [...entries.map(exposed), secret('PASSWORD', 'canary')])
  const settings = { ...tenant.at, name: 'shop', origins: [originOf(site)] }
  const { key, id } = await env.client.must('keyCreate', settings, { token: tenant.token })
  return { ...tenant, key, keyId: id }
}

interface Opened {
  readonly page: Page
  /** Statuses of the answers with all flags. */
  readonly statuses: readonly number[]
  /** Addresses of event streams. */
  readonly streams: readonly string[]
}

/** Opens a page that has started the provider. Its client is `client`, its events are in `events`. The clock of the page may be paused. */
async function open(
  { key: shopKey }: Shop,
  {
    env = testEnv,
    key = shopKey,
    options = {},
    isPaused = false,
  }: { env?: TestEnv; key?: string; options?: object; isPaused?: boolean } = {},
): Promise<Opened> {
  const { page } = await openPage(browser, originOf(site), env.app.url)
  const statuses: number[] = []
  const streams: string[] = []
  page.on('response', (response: Response) => {
    if (response.url().includes('/evaluate/flags')) statuses.push(response.status())
    if (response.url().includes('/ofrep/v1/events')) streams.push(response.url())
  })
  if (isPaused) await page.clock.install()
  await page.goto('/')
  if (isPaused) await page.clock.pauseAt(Date.now() + 3_600_000)
  const settings = { baseUrl: env.app.url, headers: [['X-API-Key', key]], ...options }
  // Strings, since this test is not compiled for browsers.
  await page.evaluate(`(async () => {
    const { OpenFeature, ProviderEvents } = await import('@openfeature/web-sdk')
    const { OFREPWebProvider } = await import('@openfeature/ofrep-web-provider')
    globalThis.OpenFeature = OpenFeature
    globalThis.events = []
    for (const event of Object.values(ProviderEvents))
      OpenFeature.addHandler(event, ({ flagsChanged }) => events.push([event, ...(flagsChanged ?? [])].join(' ')))
    await OpenFeature.setContext({ targetingKey: 'user-1' })
    await OpenFeature.setProviderAndWait(new OFREPWebProvider(${JSON.stringify(settings)})).catch((error) => {
      events.push(String(error))
    })
    globalThis.client = OpenFeature.getClient()
  })()`)
  return { page, statuses, streams }
}

async function started(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(`events.join()`)).toContain('PROVIDER_READY')
}

test('it gets all flags with one request, and evaluates without others', async () => {
  const shop = await newShop()
  const { page, statuses } = await open(shop)
  await started(page)
  const expected = await testEnv.client.must(
    'evaluate',
    { ...shop.at, name: 'HALF', seed: 'user-1' },
    { token: shop.token },
  )
  const seen = await page.evaluate(`[
    client.getStringValue('TEXT', 'bye'),
    client.getBooleanValue('FLAG', false),
    client.getNumberValue('COUNT', 1),
    client.getObjectValue('LAYOUT', {}).columns,
    client.getStringDetails('HALF', 'C').value,
    client.getStringDetails('HALF', 'C').variant,
    client.getStringDetails('HALF', 'C').reason,
    client.getStringDetails('MISSING', 'C').errorCode,
    client.getStringDetails('FLAG', 'C').errorCode,
    client.getStringDetails('PASSWORD', 'C').errorCode,
  ]`)
  const { value, decision } = expected
  const codes = ['FLAG_NOT_FOUND', 'TYPE_MISMATCH', 'FLAG_NOT_FOUND']
  expect(seen).toEqual(['hi', true, 10, 3, value, decision, 'SPLIT', ...codes])
  expect(await page.evaluate(`JSON.stringify(localStorage)`)).not.toContain('canary')
  // One for the flags, and one because a change may have come before the stream.
  await expect.poll(() => statuses).toEqual([200, 304])
})

test('it learns of a change by the event stream', async () => {
  const shop = await newShop()
  const { page, statuses, streams } = await open(shop)
  await started(page)
  await expect.poll(() => statuses).toEqual([200, 304])
  await write(testEnv, shop, [secret('TEXT', 'hello'), roll('HALF', 0.5)])
  await expect.poll(() => page.evaluate(`client.getStringValue('TEXT', 'bye')`)).toBe('hello')
  await expect
    .poll(() => page.evaluate(`events.filter((event) => event.includes('CONFIGURATION')).join()`))
    .toBe('PROVIDER_CONFIGURATION_CHANGED TEXT')
  await write(testEnv, shop, [secret('TEXT', 'again')])
  await expect.poll(() => page.evaluate(`client.getStringValue('TEXT', 'bye')`)).toBe('again')
  // The address of the stream has not changed, so it stays open.
  expect(streams).toHaveLength(1)
  expect(streams[0]).not.toContain(shop.key)
})

test('it polls with the tag, and gets the flags again only after a change', async () => {
  const shop = await newShop()
  const { page, statuses } = await open(shop, { options: { changeDetection: 'polling', pollInterval: 200 } })
  await started(page)
  await expect.poll(() => statuses.slice(0, 4)).toEqual([200, 304, 304, 304])
  await write(testEnv, shop, [secret('TEXT', 'hello')])
  await expect.poll(() => page.evaluate(`client.getStringValue('TEXT', 'bye')`)).toBe('hello')
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
})

test('another context has its flags, not those of the tag', async () => {
  const shop = await newShop()
  const { page } = await open(shop, { options: { changeDetection: 'polling', pollInterval: 0 } })
  await started(page)
  const decisions: unknown[] = []
  const expected: unknown[] = []
  for (let index = 0; index < 8; index++) {
    const seed = `user-${index}`
    decisions.push(
      await page.evaluate(`(async () => {
        await OpenFeature.setContext({ targetingKey: '${seed}', plan: 'pro' })
        return client.getStringDetails('HALF', 'C').variant
      })()`),
    )
    const entry = { ...shop.at, name: 'HALF', seed }
    expected.push((await testEnv.client.must('evaluate', entry, { token: shop.token })).decision)
  }
  expect(decisions).toEqual(expected)
  expect(new Set(decisions).size).toBe(2)
})

test('it waits for the seconds of Retry-After, which the page can read', async () => {
  const env = await startTestEnv({ RATE_LIMIT_CLIENT_KEYS: '2' })
  env.clock.freezeAt(env.clock.now())
  const shop = await newShop(env)
  const { page, statuses } = await open(shop, {
    env,
    options: { changeDetection: 'polling', pollInterval: 100 },
    isPaused: true,
  })
  await started(page)
  const afterAnInterval = async (): Promise<readonly number[]> => {
    await page.clock.runFor(100)
    return statuses
  }
  await expect.poll(afterAnInterval).toEqual([200, 304, 429])
  await expect.poll(() => page.evaluate(`events.join()`)).toContain('PROVIDER_STALE')
  // Ten intervals, in which it would have sent a request. The one after the wait would then not be the fourth.
  await page.clock.runFor(1_000)
  await page.clock.fastForward(60_000)
  await expect.poll(() => statuses).toEqual([200, 304, 429, 429])
})

test('a key that was revoked is refused, and so are a key of another origin and a service token', async () => {
  const shop = await newShop()
  const { page, statuses } = await open(shop, { options: { changeDetection: 'polling', pollInterval: 200 } })
  await started(page)
  await testEnv.client.must('keyRevoke', { orgSlug: shop.at.orgSlug, id: shop.keyId }, { token: shop.token })
  await expect.poll(() => statuses.at(-1)).toBe(401)
  await expect.poll(() => page.evaluate(`events.join()`)).toContain('PROVIDER_STALE')
  await expect.poll(() => page.evaluate(`client.getStringValue('TEXT', 'bye')`)).toBe('hi')

  const other = await newShop()
  const { token } = await newServiceToken(testEnv, other, { role: 'reader' })
  const elsewhere = { ...other.at, name: 'other', origins: ['https://other.example'] }
  const { key } = await testEnv.client.must('keyCreate', elsewhere, { token: other.token })
  for (const each of [token, key]) {
    const refused = await open(other, { key: each })
    await expect.poll(() => refused.page.evaluate(`client.getStringValue('TEXT', 'bye')`)).toBe('bye')
    await expect.poll(() => refused.page.evaluate(`events.join()`)).toContain('PROVIDER_ERROR')
  }
})

/** The published package in a page whose origin differs from that of the service. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { newTenant, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { openPage, useBrowser } from '../../../dashboard/test/browser/steps.ts'
import { decideKnown, knownSides } from '../../testkit/vectors.ts'

const dist = path.resolve(import.meta.dirname, '../../dist')
/** Decides in a worker, and sends what it found to its page. */
const worker = `
  import { createTestService } from '/testing/index.js'
  postMessage([typeof process, await (${decideKnown})(createTestService)])`
const testEnv = useTestEnv()
const browser = useBrowser()
let site: Server

beforeAll(async () => {
  site = createServer(({ url = '' }, response) => {
    if (url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html><title>A site</title>')
    response.setHeader('content-type', 'text/javascript')
    return response.end(url === '/worker.js' ? worker : readFileSync(path.join(dist, url)))
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
})
afterAll(() => site.close())

test('gets values, rolls and errors', async () => {
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [secret('COUNT', '9007199254740993', 'int64'), roll('FLAG', 1, 'on', 'off')])
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const { page } = await openPage(browser, url, testEnv.app.url)
  await page.goto('/')
  const { orgSlug: org, projectSlug: project, stageSlug: stage } = tenant.at
  const options = { url: testEnv.app.url, org, project, stage, token: tenant.token }
  // A string, since this test is not compiled for browsers.
  const seen = await page.evaluate(`(async () => {
    const { createClient } = await import('/index.js')
    const client = createClient(${JSON.stringify(options)})
    const [count, flag] = await Promise.all([client.get('COUNT'), client.inspect('FLAG', { seed: 'user-1' })])
    const missing = await client.get('NONE').catch(({ code, status }) => code + ' ' + status)
    return [typeof count, String(count), flag.value, flag.decision, missing]
  })()`)
  expect(seen).toEqual(['bigint', '9007199254740993', 'on', 'a', 'VARIABLE_NOT_FOUND 404'])
})

const places = {
  page: `import('/testing/index.js').then(async ({ createTestService }) => [typeof process, await (${decideKnown})(createTestService)])`,
  worker: `new Promise((resolve, reject) => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  })`,
}

test.each(Object.keys(places) as (keyof typeof places)[])(
  'decides in a %s as the published vectors do, without the SHA-256 of Node',
  async (place) => {
    const { page } = await openPage(browser, `http://127.0.0.1:${(site.address() as AddressInfo).port}`)
    await page.goto('/')
    expect(await page.evaluate(places[place])).toEqual(['undefined', knownSides])
  },
)

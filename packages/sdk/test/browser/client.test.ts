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
import decisions from '../../../contract/vectors/decisions.json' with { type: 'json' }

const dist = path.resolve(import.meta.dirname, '../../dist')
const testEnv = useTestEnv()
const browser = useBrowser()
let site: Server

beforeAll(async () => {
  site = createServer(({ url = '' }, response) => {
    if (url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html><title>A site</title>')
    response.setHeader('content-type', 'text/javascript').end(readFileSync(path.join(dist, url)))
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

test('decides in the process as the published vectors do, without the SHA-256 of Node', async () => {
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const { page } = await openPage(browser, url)
  await page.goto('/')
  const found = await page.evaluate(`(async () => {
    const { createTestService } = await import('/testing/index.js')
    const sides = []
    for (const { name, seed, key, context, chance, rules, pins } of ${JSON.stringify(decisions.vectors)}) {
      const service = createTestService({ variables: { [name]: { a: 'A', b: 'B', chance, rules, pins } } })
      const local = await service.client.local({ reports: false })
      sides.push(local.inspect(name, { seed, key, context }).decision)
      service.client.close()
    }
    return [typeof globalThis.process, sides]
  })()`)
  expect(found).toEqual(['undefined', decisions.vectors.map(({ decision }) => decision)])
})

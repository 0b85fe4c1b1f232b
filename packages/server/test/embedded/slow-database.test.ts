/** The pages of the embedded identity provider while their database does not answer. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launchTestApp, type TestApp } from '../../testkit/app.ts'
import { begin, comeBack, useCompany } from '../../testkit/company.ts'
import { Person, setUp } from '../../testkit/person.ts'
import { newDatabase, withTimeLimit } from '../../testkit/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../../testkit/tcp-proxy.ts'

const company = useCompany()

/** Twenty times what a few statement timeouts take. */
const boundMs = 60_000

let way: TcpProxy
let app: TestApp
let person: Person

beforeAll(async () => {
  const url = new URL(withTimeLimit(await newDatabase(inject('postgresUrl')), 1_000))
  way = await startTcpProxy(Number(url.port))
  url.port = String(way.port)
  app = await launchTestApp({
    DATABASE_URL: url.href,
    SIGN_IN: 'one',
    SIGN_IN_ONE_ISSUER: company.address,
    SIGN_IN_ONE_CLIENT_ID: 'rollkey',
    SIGN_IN_ONE_CLIENT_SECRET: 'secret',
    SIGN_IN_ONE_JOIN: 'acme:member',
    SIGN_IN_ONE_TENANTS: 'acme',
  })
  person = await setUp(app)
})
afterAll(async () => {
  way.resume()
  await app.close()
  way.close()
})

/** Returns the status, or `too late` if the answer exceeded the time limit. */
async function outcomeOf(work: () => Promise<{ readonly status: number }>): Promise<string | number> {
  const startedAt = performance.now()
  const { status } = await work()
  return performance.now() - startedAt < boundMs ? status : 'too late'
}

const pages: readonly (() => Promise<{ readonly status: number }>)[] = [
  () => person.get('/get-session'),
  () => person.get('/token'),
  () => person.get('/organization/list'),
  () => person.get('/organization/list-members'),
]

/** Waits until the pages are answered. Connections that were in trouble are replaced one by one. */
async function expectPages(): Promise<void> {
  const answered = pages.map(() => 200)
  await expect.poll(() => Promise.all(pages.map(outcomeOf)), { interval: 50 }).toEqual(answered)
}

describe.each([
  ['hangs', () => way.stall()],
  ['drips', () => way.drip()],
  ['resets', () => (way.judge = () => 'cut before')],
] as const)('while their database %s', (_, trouble) => {
  test('they answer 503 within a few statement timeouts, and work again afterwards', async () => {
    await expectPages()
    trouble()
    expect(await Promise.all(pages.map(outcomeOf))).toEqual(pages.map(() => 503))
    way.judge = () => 'pass'
    way.resume()
    await expectPages()
  })

  test('a person who comes back from a company’s provider sees a page, not an answer of the API', async () => {
    const visitor = new Person(app.url)
    const claims = { sub: 'grace', tid: 'acme', preferred_username: 'grace@acme.example' }
    const query = await company.admit(await begin(visitor, 'one'), claims)
    trouble()
    const { status, headers } = await comeBack(visitor, 'one', query)
    expect([status, headers.get('location')]).toEqual([302, '/sign-in#failure=trouble&method=one'])
    way.judge = () => 'pass'
    way.resume()
    await expect.poll(() => outcomeOf(() => visitor.get('/get-session'))).toBe(200)
  })
})

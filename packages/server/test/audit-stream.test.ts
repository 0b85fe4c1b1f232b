/** Tests the audit stream of a service: what happens reaches its receiver, and holds nothing unless the operator wants it to. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Canaries } from '../testkit/canaries.ts'
import { roll, secret } from '../testkit/entries.ts'
import { FakeServer, type FakeServerRequest, type Reply } from '../testkit/fake-server.ts'
import { useFolder } from '../testkit/folder.ts'
import { inServer, offline } from '../testkit/operator.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { newOwner, newServiceToken, TestEnv, write, type TestTenant } from '../testkit/test-env.ts'
import { readConfig } from '../src/config.ts'

interface StreamedLine {
  readonly metadata: { readonly event_code: string }
  readonly unmapped: { readonly organization: string; readonly seq?: number; readonly checkpoint?: string }
}

class Receiver extends FakeServer {
  readonly lines: string[] = []

  protected take({ body }: FakeServerRequest): Reply {
    this.lines.push(...body.split('\n').slice(0, -1))
    return { status: 200 }
  }

  /** The lines of an organization that arrived. */
  linesOf({ at }: TestTenant): string[] {
    return this.lines.filter((line) => (JSON.parse(line) as StreamedLine).unmapped.organization === at.orgSlug)
  }

  /** What arrived of an organization. */
  of(tenant: TestTenant): StreamedLine[] {
    return this.linesOf(tenant).map((line) => JSON.parse(line) as StreamedLine)
  }
}

const canaries = new Canaries()
const folder = useFolder()
const testEnv = new TestEnv()
const receiver = new Receiver()
let ada: TestTenant

beforeAll(async () => {
  await receiver.start()
  await testEnv.start({
    AUDIT_STREAM: `${receiver.url}/${canaries.plant('the path of the receiver')}?key=${canaries.plant('its key')}`,
    AUDIT_STREAM_TOKEN: canaries.plant('its token'),
    AUDIT_STREAM_REQUIRED: 'yes',
    AUDIT_STREAM_MAX_SECONDS: '60',
  })
  ada = await newOwner(testEnv)
  await write(testEnv, ada, [secret('A', canaries.plant('a value'))])
})
beforeEach(() => {
  receiver.failureMode = 'works'
})
afterAll(async () => {
  await testEnv.close()
  await receiver.stop()
})

/** Lets the service do its work until everything is delivered. */
async function delivered(): Promise<void> {
  await expect
    .poll(async () => {
      testEnv.clock.doPeriodicWork()
      const behind = `select 1 from audit_heads h left join audit_stream s on s.org_id = h.org_id
        where s.position is null or s.position < h.seq or s.checkpoint < (select coalesce(max(c.seq), 0) from audit_checkpoints c where c.org_id = h.org_id)`
      return query(testEnv.app.dataDir, behind)
    })
    .toEqual([])
}

/** Lets the service do its work. Returns why deliveries failed. */
async function failures(): Promise<unknown[]> {
  testEnv.clock.doPeriodicWork()
  const rows = await query(testEnv.app.dataDir, 'select failure from audit_stream where failure is not null')
  return rows.map((row) => row['failure'])
}

let writes = 0

/** Writes another value. Returns the status and the code of the answer. */
async function statusOfWrite({ at, token }: TestTenant): Promise<string> {
  const entries = [secret('B', String(++writes))]
  const { status, body } = await testEnv.client.call('write', { ...at, mode: 'upsert', entries }, { token })
  return `${status} ${(body as { error?: { code: string } }).error?.code}`
}

test('everything arrives once, also what happened before a restart, and without a value', async () => {
  const linus = await newOwner(testEnv)
  await write(testEnv, linus, [
    secret('A', canaries.plant('a value')),
    { ...roll('R', 0.5), pins: { a: [canaries.plant('a seed')] } },
  ])
  canaries.add('a token', (await newServiceToken(testEnv, linus)).token)
  canaries.add('a token', linus.token)
  await testEnv.client.must(
    'reveal',
    { ...linus.at, names: ['A'] },
    { token: await testEnv.provider.confirmedTokenOf(linus.user) },
  )
  await delivered()
  await testEnv.restart()
  await write(testEnv, linus, [secret('A', canaries.plant('a value'))])
  await delivered()
  const lines = receiver.of(linus)
  const numbers = lines.flatMap(({ unmapped }) => unmapped.seq ?? [])
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1))
  const codes = lines.map(({ metadata }) => metadata.event_code)
  expect(codes).toEqual(
    expect.arrayContaining(['variable.create', 'reveal', 'token.create', 'variable.update', 'audit.checkpoint']),
  )
  expect(receiver.requests[0]?.headers.authorization).toMatch(/^Bearer canary/)
  canaries.expectNoneIn('the audit stream', receiver.lines.join('\n'))
  canaries.expectNoneIn('the log', testEnv.app.log.join(''))
  const stored = await query(testEnv.app.dataDir, 'select * from audit_stream')
  canaries.expectNoneIn('the positions', JSON.stringify(stored))
})

// With PostgreSQL, a command is a node like any other, and there is no server to ask.
test.skipIf(onPostgres)('what arrived can be verified', async () => {
  const grace = await newOwner(testEnv)
  await write(testEnv, grace, [secret('A', 'a')])
  await delivered()
  const lines = receiver.linesOf(grace)
  const [file, keyFile] = [path.join(folder, 'audit.jsonl'), path.join(folder, 'audit.pub')]
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  writeFileSync(keyFile, String(await inServer(testEnv.app.dataDir, ['audit key'])))
  const verdict = await offline(readConfig({}), 'audit verify-file', file, '--key-file', keyFile)
  expect(verdict).toMatchObject({
    good: true,
    entries: lines.filter((line) => !line.includes('"audit.checkpoint"')).length,
  })
})

test('while a required receiver fails for too long, nothing that is recorded is done, and everything else is', async () => {
  await delivered()
  receiver.failureMode = { status: 503 }
  expect(await statusOfWrite(ada)).toBe('200 undefined')
  await expect.poll(failures).toEqual(['status 503'])
  expect(await statusOfWrite(ada)).toBe('200 undefined')
  testEnv.clock.advance(61_000)
  await expect.poll(() => (testEnv.clock.doPeriodicWork(), statusOfWrite(ada))).toBe('503 AUDIT_NOT_DELIVERED')
  const { value } = await testEnv.client.must('evaluate', { ...ada.at, name: 'A' }, { token: ada.token })
  expect(value).toMatch(/^canary/)
  const { text } = await testEnv.client.get('/metrics')
  expect(text).toMatch(/rollkey_outbox_waiting\{outbox="audit-stream"\} [1-9]/)
  expect(text).toMatch(/rollkey_audit_stream_total\{outcome="failed"\} [1-9]/)
  expect(Number(/rollkey_outbox_oldest_seconds\{outbox="audit-stream"\} (\S+)/.exec(text)?.[1])).toBeGreaterThan(60)
  canaries.expectNoneIn('the metrics', text)
  canaries.expectNoneIn('the log', testEnv.app.log.join(''))
  receiver.failureMode = 'works'
  testEnv.clock.advance(61_000)
  await delivered()
  await expect.poll(() => (testEnv.clock.doPeriodicWork(), statusOfWrite(ada))).toBe('200 undefined')
})

test.skipIf(onPostgres)('a command shows what waits and why, and sends it at once', async () => {
  await delivered()
  receiver.failureMode = { status: 503 }
  await statusOfWrite(ada)
  await expect.poll(failures).toEqual(['status 503'])
  const failed = [
    {
      organization: ada.at.orgSlug,
      reason: 'status 503',
      isSetAside: false,
      waiting: expect.any(Number),
      failingSeconds: expect.any(Number),
    },
  ]
  expect(await inServer(testEnv.app.dataDir, ['outbox'])).toMatchObject([
    { outbox: 'billing', waiting: 0, setAside: 0, oldestSeconds: null, failed: [] },
    { outbox: 'webhooks' },
    { outbox: 'mail' },
    { outbox: 'audit-stream', setAside: 0, failed },
  ])
  receiver.failureMode = 'works'
  const again = { again: [expect.stringMatching(/^org_/)] }
  expect(await inServer(testEnv.app.dataDir, ['outbox retry', 'audit-stream'])).toEqual(again)
  expect(await inServer(testEnv.app.dataDir, ['outbox retry'])).toEqual({ again: [] })
  await expect(inServer(testEnv.app.dataDir, ['outbox retry', 'x'])).rejects.toThrow('Unknown OUTBOX')
  await delivered()
})

test.each(['hangs', 'resets', 'drips'] as const)('a receiver that %s holds no request and no stop', async (trouble) => {
  await delivered()
  receiver.failureMode = trouble
  const before = receiver.requests.length
  expect(await statusOfWrite(ada)).toBe('200 undefined')
  await expect.poll(() => (testEnv.clock.doPeriodicWork(), receiver.requests.length)).toBeGreaterThan(before)
  expect(await statusOfWrite(ada)).toBe('200 undefined')
  receiver.failureMode = 'works'
  await testEnv.restart()
  testEnv.clock.advance(61_000)
  await delivered()
  const numbers = new Set(receiver.of(ada).flatMap(({ unmapped }) => unmapped.seq ?? []))
  // The head of a dripping answer has accepted them, although this receiver has not kept them.
  expect(numbers.has(Math.max(...numbers) - 1)).toBe(trouble !== 'drips')
})

/** A replica in an object storage that speaks S3, and that fails in each way. */
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { becomeWriter } from '../../src/replica/fence.ts'
import { contentOf } from '../../src/replica/file-target.ts'
import { S3Target } from '../../src/replica/s3-target.ts'
import { systemClock } from '../../src/base/clock.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { FollowedReplica, restoredFrom, ShippedStore } from '../../testkit/replica.ts'
import { FakeS3, s3Credentials, s3Region } from '../../testkit/s3.ts'

const server = new FakeS3()

beforeAll(() => server.start())
afterAll(() => server.stop())
beforeEach(() => {
  server.objects.clear()
  server.failureMode = 'works'
  server.ignoresConditions = false
})

function targetOf(parts: { prefix?: string; secret?: string; bucket?: string; idleMs?: number } = {}): S3Target {
  const { prefix = 'acme/prod', secret = s3Credentials.secretAccessKey, bucket = server.bucket, ...rest } = parts
  const credentials = async () => ({ ...s3Credentials, secretAccessKey: secret })
  return new S3Target({
    endpoint: server.url,
    region: s3Region,
    bucket,
    prefix,
    credentials,
    clock: systemClock,
    ...rest,
  })
}

const bytes = (text: string) => contentOf(Buffer.from(text))

test.each(['', 'acme/prod'])(
  'objects with the prefix %j are stored, read, listed in pages, created once and removed',
  async (prefix) => {
    const target = targetOf({ prefix })
    for (const name of ['b/1', 'a/1', 'a/2', 'a/3', 'a/4', 'a/5']) await target.put(name, bytes(name))
    expect(await target.create('b/2', bytes('first'))).toBe(true)
    expect(await target.create('b/2', bytes('second'))).toBe(false)
    expect((await buffer((await target.get('b/2')) as Readable)).toString()).toBe('first')
    expect(await target.get('b/3')).toBeUndefined()
    await target.remove('a/2')
    await target.remove('a/2')
    expect((await target.list('a/')).map(({ name }) => name)).toEqual(['a/1', 'a/3', 'a/4', 'a/5'])
    expect(await target.list('')).toHaveLength(6)
    expect((await target.list('a/', 'a/3')).map(({ name }) => name)).toEqual(['a/4', 'a/5'])
    expect((await target.list('b/')).at(-1)).toEqual({ name: 'b/2', bytes: 5 })
    expect([...server.objects.keys()].every((key) => key.startsWith(`${server.bucket}/${prefix}`))).toBe(true)
  },
)

test('a refusal has the code of the object storage, and a bucket that is missing is not an empty replica', async () => {
  await expect(targetOf({ secret: 'another' }).list('')).rejects.toMatchObject({ code: '403 SignatureDoesNotMatch' })
  await expect(targetOf({ bucket: 'other' }).get('a')).rejects.toMatchObject({ code: '404 NoSuchBucket' })
  server.failureMode = { status: 503, body: '<Error><Code>SlowDown</Code></Error>' }
  await expect(targetOf().put('a', bytes('a'))).rejects.toMatchObject({ code: '503 SlowDown' })
})

test.each(['hangs', 'resets', 'works and hangs', 'works and fails'] as const)(
  'an object storage that %s is given up',
  async (mode) => {
    server.failureMode = mode
    const code: unknown = expect.stringMatching(/^(ETIMEDOUT|ABORT_ERR|ECONNRESET|500)$/)
    await expect(targetOf({ idleMs: 50 }).put('a', bytes('a'))).rejects.toMatchObject({ code })
    server.failureMode = 'works'
    await targetOf().put('a', bytes('a'))
    expect(await targetOf().list('')).toHaveLength(1)
  },
)

test('two starts at once are two writers, and a storage that cannot promise it is found', async () => {
  const starts = await Promise.all([1, 2].map(() => becomeWriter(targetOf(), 0)))
  expect(
    starts.map(({ writer, isExclusive }) => [writer.writer, isExclusive]).toSorted(([a], [b]) => Number(a) - Number(b)),
  ).toEqual([
    [1, true],
    [2, true],
  ])
  server.ignoresConditions = true
  expect(await becomeWriter(targetOf(), 0)).toMatchObject({ writer: { writer: 3 }, isExclusive: false })
})

test('what is shipped while requests fail and are repeated is restored, and followed by a standby', async () => {
  const store = await ShippedStore.start({ replica: targetOf() })
  await store.shipper.shipAll()
  const followed = new FollowedReplica(targetOf(), temporaryFolder(), store.clock)
  await followed.standby.start()
  for (const mode of ['works', 'works and fails', 'resets', 'works', 'works and fails', 'works'] as const) {
    store.insert(3_000)
    server.nextFailureModes.push('works', mode)
    await store.shipper.shipAll()
    store.clock.advance(1_000)
  }
  await store.shipper.shipAll()
  expect(store.shipper.metrics.lagMs).toBeUndefined()
  expect(await restoredFrom(targetOf())).toEqual(store.state)
  await followed.standby.tick()
  expect(followed.state).toEqual(store.state)
  await store.kill()
})

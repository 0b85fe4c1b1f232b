/**
 * A change on one node reaches an OpenFeature provider on the other, also after faults between the provider and its node. If the
 * stream is not back at once, it comes by polling, without names.
 */
import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { RollkeyProvider } from '../../src/index.ts'
import { clientOf } from '../../../sdk/src/client.ts'
import { system } from '../../../sdk/src/host.ts'
import { newUser } from '../../../server/testkit/client.ts'
import { secret } from '../../../server/testkit/entries.ts'
import { startTcpProxy, type TcpProxy } from '../../../server/testkit/tcp-proxy.ts'
import { startCluster, type Cluster, type ClusterNode } from '../../../server/test/nodes/cluster.ts'

/** Waits of the client are shorter than in production, so that 35 seconds of silence take one and a half. */
const hurry = 24
const host = { ...system, wait: (ms: number, options?: object) => system.wait(ms / hurry, options) }
/** Long enough that only a stream reports a change during a test. */
const never = 3_600_000 * hurry

let cluster: Cluster
let near: ClusterNode
let far: ClusterNode
let way: TcpProxy
let writer: { readonly at: Record<'orgSlug' | 'projectSlug' | 'stageSlug', string>; readonly token: string }
let count = 0

const portOf = ({ app }: ClusterNode): number => Number(new URL(app.url).port)

beforeAll(async () => {
  cluster = await startCluster(2)
  ;[near, far] = cluster.nodes as [ClusterNode, ClusterNode]
  way = await startTcpProxy(portOf(far))
  const user = newUser()
  const { accessToken: token } = await near.app.client.login(user)
  const { orgSlug } = await near.app.client.must('session', {}, { token })
  writer = { at: { orgSlug, projectSlug: 'shop', stageSlug: 'prod' }, token }
  await write()
})
afterEach(() => OpenFeature.clearProviders())
afterAll(async () => {
  way.close()
  await cluster.close()
})

/** Writes a new value on the near node and returns it. */
async function write(): Promise<string> {
  const value = `value ${++count}`
  const { at, token } = writer
  const entries = [secret('CHANGING', value)]
  await near.app.client.must('write', { ...at, mode: 'upsert', entries }, { token })
  return value
}

/** Starts a provider on the far node. Returns a function that waits for an event and the value, and returns the flags that changed. */
async function follow(): Promise<(value: string) => Promise<readonly string[]>> {
  const { at, token } = writer
  const place = { org: at.orgSlug, project: at.projectSlug, stage: at.stageSlug }
  const client = clientOf({ url: `http://127.0.0.1:${way.port}`, ...place, token, timeoutMs: 2_000 }, host)
  const provider = new RollkeyProvider(client, { intervalMs: never })
  await OpenFeature.setProviderAndWait('push', provider)
  const flags = OpenFeature.getClient('push')
  const changed: (readonly string[])[] = []
  flags.addHandler(ProviderEvents.ConfigurationChanged, (details) => void changed.push(details?.flagsChanged ?? []))
  const expectArrival = async (value: string): Promise<readonly string[]> => {
    await expect.poll(() => changed.length).toBeGreaterThan(0)
    // Without a new revision, the SDK would serve its cached value for half a minute.
    await expect.poll(() => flags.getStringValue('CHANGING', 'none')).toBe(value)
    return changed.splice(0).flat()
  }
  await expectArrival(await write())
  return expectArrival
}

test('a change on the other node arrives with the names that it changed', async () => {
  const expectArrival = await follow()
  // The stream may not be open at the first change.
  await expect.poll(async () => expectArrival(await write())).toEqual(['CHANGING'])
})

test('a change that a reset connection missed arrives once it is open again', async () => {
  const expectArrival = await follow()
  way.cut()
  await expectArrival(await write())
})

test('a change arrives although the connection is open and nothing is sent any more', async () => {
  const expectArrival = await follow()
  way.stallOpen()
  await expectArrival(await write())
})

test('a change arrives by the other node after the node of the stream has stopped', async () => {
  const expectArrival = await follow()
  way.targetPort = portOf(near)
  await far.app.stop()
  await expectArrival(await write())
})

/**
 * Injects a store error, a kill's remains or a delay between the steps of each operation. Answered work is done, other work is
 * done entirely or not at all, and the next request works. `npm run test:long` covers every point, `npm test` only those right
 * before and right after the commit.
 */
import { cpSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../testkit/app.ts'
import { TestClient } from '../../testkit/client.ts'
import { faultId, faults, pointsOf } from '../../testkit/faults.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { startProcess } from '../../testkit/process.ts'
import { onPostgres } from '../../testkit/store.ts'
import { newTenant, useTestEnv, type TestTenant } from '../../testkit/test-env.ts'
import { expectAllOrNothing, outcomeOf, unavailable } from './all-or-nothing.ts'
import { operations, settings, type Operation, type Scene } from './operations.ts'
import { expectWholeStore } from './whole.ts'

const testEnv = useTestEnv(settings)
let scene: Scene
/** One node on PostgreSQL too, so that an operation has the same steps each time. */
let oneNode: Scene
let bystander: TestTenant

beforeAll(async () => {
  const { provider, app } = testEnv
  scene = { client: app.client, provider, dataDir: app.dataDir }
  oneNode = { ...scene, client: new TestClient(app.url, provider) }
  bystander = await newTenant(testEnv)
})

const overTheLimit = [402, 'USAGE_LIMIT_EXCEEDED']

/** Returns the points of the operation. */
async function recorded(operation: Operation): Promise<readonly string[]> {
  const id = faultId('none')
  const { status } = await (await operation.prepare(oneNode)).send(oneNode.client, id)
  expect(status).toBe(operation.statuses[0])
  // This point only exists after a transaction of the other durability.
  return pointsOf(id).filter((point) => !point.includes('pragma synchronous'))
}

/** Points after which an operation is decided: the end of a transaction, a line in the usage journal, or a round of several nodes. */
const decision = /^after (commit|rollback|write \.journal|with asked)/

function sampleOf(points: readonly string[]): readonly string[] {
  if (isLong) return points
  const decided = points.findLastIndex((point) => decision.test(point))
  // On PostgreSQL, test/nodes covers an error before the commit.
  return points.slice(onPostgres ? decided : decided - 1, decided + 1)
}

function until(point: string, points: readonly string[]): readonly string[] {
  return points.slice(0, points.indexOf(point) + 1)
}

/** Service as a process that accepts fault orders in requests. */
async function startedProcess(dataDir: string) {
  const { provider } = testEnv
  const server = await startProcess({ ...settings, ...provider.settings, DATA_DIR: dataDir }, { faultId: '' })
  return { server, scene: { client: new TestClient(server.url, provider), provider, dataDir } }
}

describe.each(Object.entries(operations))('%s', (_, operation) => {
  test('is done or not done after a store error, which answers 503, and others notice nothing', async () => {
    const all = await recorded(operation)
    // What is refused anyway may be refused before the error is noticed: statements are sent together.
    const failures = [unavailable(operation.endpoint), ...(operation.statuses[0] === 402 ? [overTheLimit] : [])]
    for (const at of sampleOf(all)) {
      const id = faultId('error', at)
      const prepared = await operation.prepare(oneNode)
      // On PostgreSQL they would share one round.
      const other = onPostgres ? undefined : scene.client.call('session', {}, { token: bystander.token })
      const answer = await prepared.send(oneNode.client, id)
      expect(failures, at).toContainEqual(outcomeOf(answer))
      expect((await other)?.status ?? 200).toBe(200)
      await expectAllOrNothing(operation, prepared, scene, { answer, met: until(at, pointsOf(id)), all })
    }
    await expectWholeStore(scene.dataDir)
  })

  test.skipIf(onPostgres)("is done or not done after a kill's remains of the files", async () => {
    const all = await recorded(operation)
    for (const at of sampleOf(all)) {
      const dataDir = temporaryFolder()
      faults.copy = () => cpSync(scene.dataDir, dataDir, { recursive: true })
      const prepared = await operation.prepare(oneNode)
      await prepared.send(oneNode.client, faultId('copy', at))
      const app = await startTestApp(settings, { provider: testEnv.provider, dataDir })
      const where = { client: app.client, provider: testEnv.provider, dataDir }
      await expectAllOrNothing(operation, prepared, where, { answer: undefined, met: until(at, all), all })
      await app.stop()
      await expectWholeStore(dataDir)
    }
  })

  test.runIf(isLong)('is done or not done after a kill', async () => {
    const all = await recorded(operation)
    const dataDir = temporaryFolder()
    let { scene: where, server } = await startedProcess(dataDir)
    // The state right before a step equals the state right after the previous one.
    for (const at of all.filter((point, index) => index === 0 || point.startsWith('after '))) {
      const prepared = await operation.prepare(where)
      await expect(prepared.send(where.client, faultId('kill', at))).rejects.toThrow('fetch failed')
      expect(await server.end('SIGKILL')).toBe('SIGKILL')
      const next = await startedProcess(dataDir)
      where = next.scene
      server = next.server
      await expectAllOrNothing(operation, prepared, where, { answer: undefined, met: until(at, all), all })
    }
    expect(await server.end('SIGTERM')).toBe(0)
    await expectWholeStore(dataDir)
  })

  test.runIf(isLong)('is done once per answer while a rival does the same and a step is slow', async () => {
    const all = await recorded(operation)
    for (const at of all) {
      const prepared = await operation.prepare(oneNode)
      const answers = await Promise.all([
        prepared.send(oneNode.client, faultId('delay', at)),
        prepared.send(scene.client),
      ])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual(operation.statuses)
      expect(await prepared.isDone(scene)).not.toBe(operation.statuses[0] !== 200)
    }
    await expectWholeStore(scene.dataDir)
  })
})

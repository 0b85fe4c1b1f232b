/** Fills the disk of the embedded store: what needs no commit works, the rest answers 503, and all works when there is space again. */
import path from 'node:path'
import type { EndpointName } from '@rollkey/contract'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import { roll, secret } from '../../testkit/entries.ts'
import { faults, writers } from '../../testkit/faults.ts'
import { onPostgres } from '../../testkit/store.ts'
import { newOwner, useTestEnv, write, type TestTenant } from '../../testkit/test-env.ts'
import { outcomeOf, unavailable } from './all-or-nothing.ts'
import { operations, settings, type Operation, type Prepared, type Scene } from './operations.ts'
import { expectWholeStore } from './whole.ts'

const testEnv = useTestEnv(settings)
let scene: Scene
let tenant: TestTenant

beforeAll(async () => {
  const { app, client, provider } = testEnv
  scene = { client, provider, dataDir: app.dataDir }
  tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('A', '1'), roll('R', 0.5)])
})
afterEach(() => {
  faults.everywhere = undefined
})

/** Fails every write whose step matches, and rolls back what was begun. */
function fill(step: RegExp): void {
  faults.everywhere = { meet: (point) => (step.test(point) ? 'full' : undefined) }
}

const commits = /^before commit/
const everything = /^before (commit|open \.journal|write \.journal)/

async function outcome(name: EndpointName, input: object): Promise<unknown> {
  return outcomeOf(await testEnv.client.call(name, input, { token: tenant.token }))
}

describe.skipIf(onPostgres)('a full disk', () => {
  test('leaves no trace of refused requests, and causes no errors once there is space', async () => {
    const all: [Operation, Prepared][] = []
    for (const operation of Object.values(operations)) all.push([operation, await operation.prepare(scene)])
    fill(everything)
    for (const [{ endpoint, statuses }, prepared] of all) {
      const refused = statuses[0] === 200 ? unavailable(endpoint) : [402, 'USAGE_LIMIT_EXCEEDED']
      expect([endpoint, ...outcomeOf(await prepared.send(testEnv.client))]).toEqual([endpoint, ...refused])
    }
    faults.everywhere = undefined
    for (const [{ endpoint, statuses }, prepared] of all) {
      expect([endpoint, (await prepared.isDone(scene)) ?? false]).toEqual([endpoint, false])
      const answer = await prepared.send(testEnv.client)
      expect([endpoint, answer.status]).toEqual([endpoint, statuses[0]])
      expect([endpoint, await prepared.isDone(scene, answer)]).toEqual([endpoint, statuses[0] === 200])
    }
    await expectWholeStore(scene.dataDir)
  })

  test('does not affect reads, nor evaluations while the usage journal has space', async () => {
    const { at } = tenant
    const reads: [EndpointName, object][] = [
      ['list', at],
      ['manifest', at],
      ['digests', at],
      ['history', at],
      ['session', {}],
      ['whoami', {}],
      ['sessionList', { orgSlug: at.orgSlug }],
      ['tokenList', { orgSlug: at.orgSlug }],
      ['projects', { orgSlug: at.orgSlug }],
      ['audit', { orgSlug: at.orgSlug }],
    ]
    const evaluations: [EndpointName, object][] = [
      ['evaluate', { ...at, name: 'A' }],
      ['evaluateBatch', { ...at, entries: [{ name: 'A' }, { name: 'R' }] }],
      ['pull', at],
    ]
    // The journal's next event starts a new file.
    const before = await usageOf(scene, at.orgSlug)
    const isReady = async (): Promise<number> => (await testEnv.client.get('/readyz')).status
    fill(everything)
    for (const [name, input] of reads) expect([name, await outcome(name, input)]).toEqual([name, [200]])
    for (const [name, input] of evaluations)
      expect([name, await outcome(name, input)]).toEqual([name, unavailable(name)])
    fill(commits)
    for (const [name, input] of evaluations) expect([name, await outcome(name, input)]).toEqual([name, [200]])
    await expect.poll(isReady).toBe(503)
    faults.everywhere = undefined
    await expect.poll(isReady).toBe(200)
    expect(await usageOf(scene, at.orgSlug)).toBe(before + evaluations.length)
  })

  test('is handled by the database itself: acknowledged writes stay, refused ones are absent', async () => {
    const { at } = tenant
    const database = writers.get(path.join(scene.dataDir, 'rollkey.db'))
    const pages = Number(database?.prepare('pragma page_count').get()?.['page_count'])
    const put = (name: string) =>
      outcome('write', { ...at, mode: 'upsert', entries: [secret(name, 'x'.repeat(1_000))] })
    // The disk has space for a write, and then is full.
    let space = 0
    do {
      space++
      database?.exec(`pragma max_page_count = ${pages + space}`)
    } while (String(await put('FILL_0')) !== '200')
    const acknowledged = ['FILL_0']
    let last: unknown
    while (String((last = await put(`FILL_${acknowledged.length}`))) === '200') {
      acknowledged.push(`FILL_${acknowledged.length}`)
    }
    expect(last).toEqual(unavailable('write'))
    database?.exec('pragma max_page_count = 1000000')
    expect(await put('LATER')).toEqual([200])
    const { variables } = await testEnv.client.must('pull', at, { token: tenant.token })
    expect(Object.keys(variables as object)).toEqual(expect.arrayContaining([...acknowledged, 'LATER']))
    expect(Object.keys(variables as object)).toHaveLength(acknowledged.length + ['A', 'R', 'LATER'].length)
    await expectWholeStore(scene.dataDir)
  })
})

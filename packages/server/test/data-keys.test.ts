/** Tests the rotation of data keys while clients read and write. */
import { expect, test } from 'vitest'
import type { Answer } from '../testkit/client.ts'
import { TestClock } from '../testkit/clock.ts'
import { roll, secret } from '../testkit/entries.ts'
import { runMain } from '../testkit/process.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { newOwner, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const [readers, writers] = [32, 8]
const hourMs = 60 * 60_000
const names = Array.from({ length: 300 }, (_, i) => `N${i}`)
const testEnv = useTestEnv({}, new TestClock())

/** Makes the keys this much older. */
function ageKeys(ms: number): Promise<unknown> {
  return query(testEnv.app.dataDir, 'update data_keys set created_at_ms = created_at_ms - $1', ms)
}

const currentKey = 'select id from data_keys where project_id is not null and retired_at_ms is null'

/** Returns the keys that sealed the stored states, as `storage/sealed.ts` finds them. */
async function keysInUse(): Promise<{ id: string }[]> {
  const rows = await query(
    testEnv.app.dataDir,
    `select distinct substr(sealed, 7, 16) as key from (select sealed from variables
       union all select sealed from variable_history where sealed is not null) as all_states`,
  )
  return rows.map(({ key }) => ({ id: Buffer.from(key as Uint8Array).toString('hex') }))
}

interface Load {
  reads: number
  writes: number
  isOver: boolean
}

/** Returns the answer, and tries again if PostgreSQL did not answer within its second: a busy machine is not a failure of the keys. */
async function answerTo(name: 'pull' | 'evaluate' | 'write', input: object, token: string): Promise<Answer['body']> {
  for (;;) {
    const { status, text, body } = await testEnv.client.call(name, input, { token })
    if (status === 503 && onPostgres) continue
    expect([status, text]).toEqual([200, text])
    return body
  }
}

async function expectPulled({ at, token }: TestTenant): Promise<void> {
  const { variables } = await answerTo('pull', at, token)
  expect(names.filter((name) => variables[name] !== `value of ${name}`)).toEqual([])
}

async function expectEvaluated({ at, token }: TestTenant, name: string): Promise<void> {
  expect(await answerTo('evaluate', { ...at, name }, token)).toMatchObject({ value: `value of ${name}` })
}

async function keepReading(tenant: TestTenant, load: Load, reader: number): Promise<void> {
  for (let i = reader; !load.isOver; i++, load.reads++) {
    await (i % 2 === 0 ? expectPulled(tenant) : expectEvaluated(tenant, names[i % names.length] as string))
  }
}

/** Writes until the load is over. The first writer shares the readers' stage, each other writer has a separate one. */
async function keepWriting({ at, token }: TestTenant, load: Load, writer: number): Promise<void> {
  const stageSlug = writer === 0 ? at.stageSlug : `stage-${writer}`
  for (let i = 0; !load.isOver; i++, load.writes++) {
    const entries = [secret(`W${writer}`, `${i}`)]
    await answerTo('write', { ...at, stageSlug, mode: 'upsert', entries }, token)
  }
}

test('a rotation fails no read, leaves nothing under the former key, and keeps the history readable', async () => {
  const tenant = await newOwner(testEnv)
  const { at, token } = tenant
  await write(testEnv, tenant, [...names.map((name) => secret(name, `value of ${name}`)), roll('ROLL', 0.5)])
  await ageKeys(hourMs + 1)
  const load: Load = { reads: 0, writes: 0, isOver: false }
  const [{ code, stdout, stderr }] = await Promise.all([
    runMain({ DATA_DIR: testEnv.app.dataDir }, ['data-key', 'rotate']).finally(() => (load.isOver = true)),
    ...Array.from({ length: readers }, (_, reader) => keepReading(tenant, load, reader)),
    ...Array.from({ length: writers }, (_, writer) => keepWriting(tenant, load, writer)),
  ])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ rotated: 1, recent: 0, unopened: 0 })
  expect([load.reads > readers, load.writes > 0]).toEqual([true, true])
  expect(await keysInUse()).toEqual(await query(testEnv.app.dataDir, currentKey))
  await write(testEnv, tenant, [secret('N1', 'newer')])
  await testEnv.client.must('restore', { ...at, revision: 1, names: ['N1', 'ROLL'] }, { token })
  expect((await testEnv.client.must('evaluate', { ...at, name: 'N1' }, { token })).value).toBe('value of N1')
  const { entries } = await testEnv.client.must('audit', { orgSlug: at.orgSlug, action: 'key.rotate' }, { token })
  expect(entries).toMatchObject([{ actor: 'operator', how: 'operator' }])
})

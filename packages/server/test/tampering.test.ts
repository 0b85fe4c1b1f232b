/** Changes or moves rows behind the service's back: it returns no wrong value, reports the error, and does not bill it. */
import { beforeEach, describe, expect, test } from 'vitest'
import { pack, unpack } from '../src/stages/payloads.ts'
import { usageOf } from '../testkit/app.ts'
import { roll, secret } from '../testkit/entries.ts'
import { query } from '../testkit/store.ts'
import { newOwner, tenantAt, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv()
let tenant: TestTenant
/** Size of the length prefix of a sealed value. A flipped bit there can leave the last value of a row intact, so the test skips it. */
const lengthBytes = 4
const failed = [500, 'EVALUATION_FAILED']

beforeEach(async () => {
  tenant = await newOwner(testEnv)
})

interface Sealed {
  readonly name: string
  readonly sealed: Uint8Array
}

/** Returns the stored rows of a stage. */
async function rowsOf({ at }: TestTenant): Promise<{ stageId: string; rows: Sealed[] }> {
  const rows = await query(
    testEnv.app.dataDir,
    `select v.stage_id, v.name, v.sealed from variables v join stages s on s.id = v.stage_id
       join projects p on p.id = s.project_id join organizations o on o.id = p.org_id
     where o.slug = $1 and p.slug = $2 and s.slug = $3 order by v.name`,
    at.orgSlug,
    at.projectSlug,
    at.stageSlug,
  )
  return { stageId: String(rows[0]?.['stage_id']), rows: rows as unknown as Sealed[] }
}

async function store(stageId: string, name: string, sealed: Uint8Array): Promise<void> {
  const text = 'update variables set sealed = $1 where stage_id = $2 and name = $3'
  await query(testEnv.app.dataDir, text, sealed, stageId, name)
}

async function outcomeOf({ at, token }: TestTenant, endpoint: 'evaluate' | 'pull' | 'reveal', input: object = {}) {
  const { status, body } = await testEnv.client.call(endpoint, { ...at, ...input }, { token })
  return status === 200 ? body : [status, body.error.code]
}

async function entriesOf(action: string): Promise<number> {
  return (await query(testEnv.app.dataDir, 'select seq from audit where action = $1', action)).length
}

test('a row with a flipped bit in any part is refused by its code, not billed and not recorded as shown, and others work', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `BIT_${index}`)
  await write(testEnv, tenant, [...names.map((name) => secret(name, 'canary')), secret('WHOLE', 'whole')])
  const { stageId, rows } = await rowsOf(tenant)
  const step = (8 * ((rows[0]?.sealed.length ?? 0) - lengthBytes)) / names.length
  for (const [index, { name, sealed }] of rows.filter((row) => row.name !== 'WHOLE').entries()) {
    const flipped = Buffer.from(sealed)
    const bit = 8 * lengthBytes + Math.floor(index * step)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    await store(stageId, name, index === 0 ? flipped.subarray(0, -1) : flipped)
  }
  await testEnv.restart()
  for (const name of names) expect(await outcomeOf(tenant, 'evaluate', { name })).toEqual(failed)
  expect(await outcomeOf(tenant, 'pull')).toEqual(failed)
  expect(await outcomeOf(tenant, 'reveal', { names: ['WHOLE', 'BIT_7'] })).toEqual(failed)
  expect([await usageOf(testEnv.app, tenant.at.orgSlug), await entriesOf('reveal')]).toEqual([0, 0])
  expect((await outcomeOf(tenant, 'evaluate', { name: 'WHOLE' })).value).toBe('whole')
  expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
})

describe('a moved row does not open', () => {
  const places = { variable: {}, stage: { stageSlug: 'other' }, project: { projectSlug: 'other' } }

  test.each(Object.keys(places) as (keyof typeof places)[])('from another %s', async (what) => {
    await write(testEnv, tenant, [secret('HERE', 'here')])
    const from = tenantAt(tenant, places[what])
    const name = what === 'variable' ? 'ANOTHER' : 'HERE'
    await write(testEnv, from, [secret(name, 'from elsewhere')])
    const moved = (await rowsOf(from)).rows.find((row) => row.name === name)
    await store((await rowsOf(tenant)).stageId, 'HERE', moved?.sealed ?? Buffer.alloc(0))
    await testEnv.restart()
    expect(await outcomeOf(tenant, 'evaluate', { name: 'HERE' })).toEqual(failed)
    expect((await outcomeOf(from, 'evaluate', { name })).value).toBe('from elsewhere')
  })

  test('from another organization', async () => {
    await write(testEnv, tenant, [secret('HERE', 'here')])
    const other = await newOwner(testEnv)
    await write(testEnv, other, [secret('HERE', 'theirs')])
    await store((await rowsOf(tenant)).stageId, 'HERE', (await rowsOf(other)).rows[0]?.sealed ?? Buffer.alloc(0))
    await testEnv.restart()
    expect(await outcomeOf(tenant, 'evaluate', { name: 'HERE' })).toEqual(failed)
    expect((await outcomeOf(other, 'evaluate', { name: 'HERE' })).value).toBe('theirs')
  })

  test('from the other side of a roll, or from a secret', async () => {
    const at = tenantAt(tenant, { stageSlug: 'rolls' })
    await write(testEnv, at, [roll('SIDES', 0.5, 'first', 'other'), roll('KIND', 0.5), secret('SECRET', 'secret')])
    const { stageId, rows } = await rowsOf(at)
    const sealed = new Map(rows.map((row) => [row.name, row.sealed]))
    await store(stageId, 'SIDES', pack(unpack(sealed.get('SIDES') as Uint8Array).toReversed()))
    await store(stageId, 'KIND', sealed.get('SECRET') as Uint8Array)
    await testEnv.restart()
    for (const name of ['SIDES', 'KIND']) expect(await outcomeOf(at, 'evaluate', { name })).toEqual(failed)
    expect((await outcomeOf(at, 'evaluate', { name: 'SECRET' })).value).toBe('secret')
  })
})

test('a data key of another project opens nothing', async () => {
  const [one, other] = [tenantAt(tenant, { projectSlug: 'one' }), tenantAt(tenant, { projectSlug: 'two' })]
  for (const at of [one, other]) await write(testEnv, at, [secret('A', 'a')])
  const swap = `update data_keys set wrapped = (select b.wrapped from data_keys b join projects p on p.id = b.project_id
    where p.slug = $1) where project_id = (select id from projects where slug = $2)`
  await query(testEnv.app.dataDir, swap, 'two', 'one')
  await testEnv.restart()
  expect(await outcomeOf(one, 'evaluate', { name: 'A' })).toEqual(failed)
  expect((await outcomeOf(other, 'evaluate', { name: 'A' })).value).toBe('a')
})

test('a damaged former state does not affect the present, and stays damaged when restored', async () => {
  const at = tenantAt(tenant, { stageSlug: 'past' })
  for (const value of ['first', 'second']) await write(testEnv, at, [secret('A', value)])
  const { stageId } = await rowsOf(at)
  const past = 'select name, sealed from variable_history where stage_id = $1 and revision = 1'
  const [row] = (await query(testEnv.app.dataDir, past, stageId)) as unknown as Sealed[]
  const flipped = Buffer.from(row?.sealed ?? [])
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1
  const text = 'update variable_history set sealed = $2 where stage_id = $1 and revision = 1'
  await query(testEnv.app.dataDir, text, stageId, flipped)
  await testEnv.restart()
  await testEnv.client.must('history', at.at, { token: at.token })
  expect((await outcomeOf(at, 'evaluate', { name: 'A' })).value).toBe('second')
  await testEnv.client.must('restore', { ...at.at, revision: 1 }, { token: at.token })
  expect(await outcomeOf(at, 'evaluate', { name: 'A' })).toEqual(failed)
})

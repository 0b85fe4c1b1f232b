/** Tests that nothing is done that the audit log cannot record. A database trigger makes the insert fail for real. */
import type { EndpointName } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { newOwner, newServiceToken, useTestEnv, write } from '../testkit/test-env.ts'

const testEnv = useTestEnv()

/** PostgreSQL reports a full disk. SQLite can only report the trigger's own reason. */
const triggers = onPostgres
  ? [
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'no space' using errcode = '53100'; end $$`,
      'create trigger unnoted before insert on audit for each row execute function refuse()',
    ]
  : [`create trigger unnoted before insert on audit begin select raise(abort, 'no space'); end`]
const undo = `drop trigger unnoted${onPostgres ? ' on audit' : ''}`

const tables = [
  'organizations',
  'projects',
  'stages',
  'variables',
  'variable_history',
  'data_keys',
  'declarations',
  'service_tokens',
  'client_keys',
  'access_tokens',
  'refresh_tokens',
  'device_codes',
  'meters',
  'audit',
  'audit_heads',
]

async function stored(): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const table of tables) {
    const all = await query(testEnv.app.dataDir, `select * from ${table}`)
    rows[table] = all.map((row) => JSON.stringify(row)).toSorted()
  }
  return rows
}

test('no audited action is done while the log refuses entries, and all are done afterwards', async () => {
  const tenant = await newOwner(testEnv)
  const { at, token, user, refreshToken } = tenant
  const { orgSlug, projectSlug } = at
  await write(testEnv, tenant, [secret('A', '1'), roll('R', 0.5)])
  await write(testEnv, tenant, [secret('A', '2')])
  await testEnv.client.must('declarationSet', { orgSlug, projectSlug, declarations: [{ name: 'B' }] }, { token })
  const { id } = await newServiceToken(testEnv, tenant)
  const provider = await testEnv.provider.tokenOf(user)
  const { deviceCode } = await testEnv.client.approved(user)
  const [approve, deny] = [await testEnv.client.must('deviceStart', {}), await testEnv.client.must('deviceStart', {})]
  const another = await testEnv.client.login(user)
  const acts: readonly [EndpointName, object, string?][] = [
    ['stageOrder', { orgSlug, projectSlug, stageSlugs: [at.stageSlug] }],
    ['write', { ...at, mode: 'upsert', entries: [secret('NEW', '1')], deletes: ['A'] }],
    ['write', { ...at, projectSlug: 'new', mode: 'upsert', entries: [secret('NEW', '1')] }],
    ['update', { ...at, updates: [{ name: 'R', chance: 1 }] }],
    ['update', { ...at, updates: [{ name: 'R', exposure: 'plain' }] }],
    ['copy', { orgSlug, from: at, to: { projectSlug, stageSlug: 'test' }, names: ['R'] }],
    ['restore', { ...at, revision: 1 }],
    ['reveal', { ...at, names: ['R'] }, provider],
    ['projectCreate', { orgSlug, projectSlug: 'second' }],
    ['projectUpdate', { orgSlug, projectSlug, name: 'Shop' }],
    ['declarationSet', { orgSlug, projectSlug, declarations: [{ name: 'A' }] }],
    ['declarationDelete', { orgSlug, projectSlug, names: ['B'] }],
    ['stageCreate', { ...at, stageSlug: 'second' }],
    ['stageUpdate', { ...at, name: 'Live' }],
    ['organizationUpdate', { orgSlug, createsOnWrite: false }],
    ['tokenCreate', { orgSlug, name: 'second' }],
    ['tokenRevoke', { orgSlug, id }],
    ['keyCreate', { ...at, name: 'web', origins: [] }],
    ['deviceComplete', { userCode: approve.userCode }, provider],
    ['deviceDeny', { userCode: deny.userCode }, provider],
    ['devicePoll', { deviceCode }],
    ['tokenRefresh', { refreshToken }],
    ['logout', { refreshToken: another.refreshToken }],
  ]
  const outcomes = async (): Promise<unknown[]> => {
    const all: unknown[] = []
    for (const [name, input, by = token] of acts) {
      const { status, body } = await testEnv.client.call(name, input, { token: by })
      all.push(status === 200 ? [name, 200] : [name, status, body.error.code])
    }
    return all
  }

  // The first write also deletes, the second creates a project and a stage, the attributes expose a variable, and the copy
  // creates a stage. Each has an entry.
  const moreEntries = 5
  const before = await stored()
  for (const trigger of triggers) await query(testEnv.app.dataDir, trigger)
  const refused = acts.map(([name]) =>
    onPostgres
      ? [name, 503, name === 'write' || name === 'update' ? 'BILLING_UNAVAILABLE' : 'SERVICE_UNAVAILABLE']
      : [name, 500, 'INTERNAL'],
  )
  expect(await outcomes()).toEqual(refused)
  expect(await stored()).toEqual(before)
  await query(testEnv.app.dataDir, undo)
  expect(await outcomes()).toEqual(acts.map(([name]) => [name, 200]))
  const [row] = await query(testEnv.app.dataDir, 'select count(*) as n from audit')
  expect(Number(row?.['n'])).toBe((before['audit']?.length ?? 0) + acts.length + moreEntries)
})

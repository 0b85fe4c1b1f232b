import { expect, test } from 'vitest'
import { sweep, sweepOrganizations } from '../src/compose/housekeeping.ts'
import { newUser } from '../testkit/client.ts'
import { secret } from '../testkit/entries.ts'
import { openStore, query } from '../testkit/store.ts'
import { newTenant, useTestEnv, write } from '../testkit/test-env.ts'

const day = 86_400_000
const historyDays = 90
const testEnv = useTestEnv()

/** Sweeps the store of the stopped service as if this number of days had passed, and counts the remaining rows. */
async function rowsAfter(days: number): Promise<Record<string, number>> {
  const { dataDir } = testEnv.app
  const sql = await openStore(dataDir)
  await sweep(sql, testEnv.clock.now() + days * day, historyDays)
  await sweepOrganizations(sql, testEnv.clock.now() + days * day, { usageDays: 800, changeDays: 400 })
  await sql.close()
  const tables = [
    'request_keys',
    'device_codes',
    'wrong_user_codes',
    'sessions',
    'refresh_tokens',
    'variable_history',
    'usage_reports',
    'roll_counts',
    'roll_days',
    'usage_callers',
    'last_evaluations',
    'usage_days',
    'changes',
  ]
  const counts: Record<string, number> = {}
  for (const table of [...tables, 'variables']) {
    const [row] = await query(dataDir, `select count(*) as n from ${table}`)
    counts[table] = Number(row?.['n'])
  }
  return counts
}

test('housekeeping deletes what no promise needs anymore, and keeps the rest', async () => {
  const tenant = await newTenant(testEnv)
  for (const value of ['1', '2', '3']) await write(testEnv, tenant, [secret('CHANGED', value)])
  await write(testEnv, tenant, [secret('DELETED', 'x')])
  await write(testEnv, tenant, [], { deletes: ['DELETED'] })
  const headers = { 'x-service-request-key': 'key' }
  await testEnv.client.must('evaluate', { ...tenant.at, name: 'CHANGED' }, { token: tenant.token, headers })
  const wrong = { userCode: 'ZZZZZZZZ' }
  await testEnv.client.call('deviceComplete', wrong, { token: await testEnv.provider.tokenOf(newUser()) })
  await testEnv.app.stop()
  await query(
    testEnv.app.dataDir,
    `insert into usage_reports (id, org_id, period, units, at_ms, state, attempts, next_attempt_at_ms, done_at_ms)
     select 'delivered', id, '2026-11', 1, $1, 'delivered', 1, 0, $1 from organizations limit 1`,
    testEnv.clock.now(),
  )
  await query(
    testEnv.app.dataDir,
    "insert into roll_counts (stage_id, name, hour_ms, a, b) select id, 'R', $1, 1, 0 from stages limit 1",
    testEnv.clock.now(),
  )
  await query(
    testEnv.app.dataDir,
    `insert into changes (id, org_id, stage_id, project_slug, stage_slug, state, reason, content, digest, base_revision, authors,
       proposed_by, proposed_with, proposed_at_ms, updated_at_ms, settled_at_ms)
     select 'chg_1', (select id from organizations limit 1), id, '', '', 'applied', '', '{}', '', 1, '[]', '', '', $1, $1, $1
     from stages limit 1`,
    testEnv.clock.now(),
  )
  await query(
    testEnv.app.dataDir,
    "insert into roll_days (stage_id, name, day_ms, a, b) select id, 'R', $1, 1, 0 from stages limit 1",
    testEnv.clock.now(),
  )

  const now = {
    sessions: 1,
    refresh_tokens: 1,
    variables: 1,
    variable_history: 5,
    usage_reports: 1,
    roll_counts: 1,
    roll_days: 1,
    usage_callers: 1,
    last_evaluations: 1,
    usage_days: 1,
    changes: 1,
  }
  expect(await rowsAfter(0)).toEqual({ ...now, request_keys: 1, device_codes: 1, wrong_user_codes: 2 })
  const [anHour, anHourAndMore] = [1 / 24, 1.25 / 24]
  expect(await rowsAfter(anHour)).toEqual({ ...now, request_keys: 0, device_codes: 1, wrong_user_codes: 0 })
  expect(await rowsAfter(anHourAndMore)).toEqual({ ...now, request_keys: 0, device_codes: 0, wrong_user_codes: 0 })
  expect(await rowsAfter(59)).toEqual({ ...now, request_keys: 0, device_codes: 0, wrong_user_codes: 0 })
  expect(await rowsAfter(historyDays + 1)).toEqual({
    request_keys: 0,
    device_codes: 0,
    wrong_user_codes: 0,
    sessions: 0,
    refresh_tokens: 0,
    variables: 1,
    variable_history: 1,
    usage_reports: 0,
    roll_counts: 0,
    roll_days: 0,
    usage_callers: 1,
    last_evaluations: 1,
    usage_days: 1,
    changes: 1,
  })
  expect(await rowsAfter(400)).toMatchObject({ usage_callers: 1, last_evaluations: 1 })
  expect(await rowsAfter(401)).toMatchObject({ usage_callers: 0, last_evaluations: 0, changes: 0, variables: 1 })
  expect(await rowsAfter(800)).toMatchObject({ usage_days: 1 })
  expect(await rowsAfter(801)).toMatchObject({ usage_days: 0, variables: 1 })
})

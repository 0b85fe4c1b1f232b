/** Tests that the counter of rows, which other tests rely on, sees what each kind of statement visits. */
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { RowVisits } from '../../testkit/row-visits.ts'

test.each([
  ['select n from a', 10],
  [`select n from a where name = 'n1'`, 1],
  ['update a set n = n + 1', 10],
  ['update a set n = n + 1 where n > 5', 10],
  [`update a set n = 0 where name = 'n1' returning n`, 1],
  [`with picked (name) as (values ('n1'), ('n2')) update a set n = 0 from picked where a.name = picked.name`, 2],
  [`with picked (name) as (values ('n1')) delete from a where name in (select name from picked)`, 1],
  ['delete from a where n >= 0 returning name', 10],
  ['insert into b (name, n) select name, n from a where n < 3 on conflict (name) do update set n = excluded.n', 10],
  [`insert into b (name, n) values ('n1', 1) returning n`, 0],
])('%s: %d', async (text, rows) => {
  const file = path.join(temporaryFolder(), 'rollkey.db')
  const sql = openSqlite(file)
  await sql.tx(async (tx) => {
    for (const table of ['a', 'b']) await tx.script(`create table ${table} (name text primary key, n bigint)`)
    await tx.script(`insert into a (name, n) values ${Array.from({ length: 10 }, (_, n) => `('n${n}', ${n})`).join()}`)
  })
  const visits = new RowVisits(file)
  onTestFinished(async () => {
    visits.close()
    await sql.close()
  })
  expect(await visits.inATurn(() => sql.tx((tx) => tx.all(text)))).toBe(rows)
})

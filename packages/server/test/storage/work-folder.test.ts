import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { boundedIntegrity, integrityErrors } from '../../src/storage/integrity.ts'
import { deleteWith, withWorkFolder, sweepWorkFolders } from '../../src/storage/work-folder.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

test('a sweep deletes folders that were left, and neither folders in use nor other files', async () => {
  const dataDir = temporaryFolder()
  const elsewhere = path.join(temporaryFolder(), 'backup.age.unfinished')
  writeFileSync(elsewhere, '')
  for (const name of ['.unsealed-left', 'unsealed-mine', 'backup-monday']) mkdirSync(path.join(dataDir, name))
  await deleteWith(path.join(dataDir, '.unsealed-left'), elsewhere)
  const used = await withWorkFolder(dataDir, async (folder) => {
    await sweepWorkFolders(dataDir)
    expect(existsSync(folder)).toBe(true)
    return folder
  })
  const names = ['.unsealed-left', 'unsealed-mine', 'backup-monday'].filter((name) =>
    existsSync(path.join(dataDir, name)),
  )
  expect(names).toEqual(['unsealed-mine', 'backup-monday'])
  expect([existsSync(elsewhere), existsSync(used)]).toEqual([false, false])
})

test('a damaged database is distinguished from an intact one', () => {
  const file = path.join(temporaryFolder(), 'some.db')
  const database = new DatabaseSync(file)
  database.exec(`create table some (id integer primary key, text text);
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into some (text) select 'text ' || i from n`)
  database.close()
  expect(integrityErrors(file)).toEqual([])
  expect(boundedIntegrity(file, 2_000)).toEqual({ errors: [], unchecked: [] })
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0, 8_192, 12_288))
  expect(integrityErrors(file).length).toBeGreaterThan(0)
  writeFileSync(file, 'no database')
  expect(integrityErrors(file)).toEqual(['file is not a database'])
})

test('a bounded check reads no table with more rows, and all others', () => {
  const file = path.join(temporaryFolder(), 'some.db')
  const database = new DatabaseSync(file)
  const pageOf = (table: string): number =>
    (database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as { rootpage: number }).rootpage
  database.exec(`create table large (id integer primary key); create table small (id integer primary key);
    insert into large values (1), (2), (3); insert into small values (1), (2)`)
  const pages = { large: pageOf('large'), small: pageOf('small') }
  database.close()
  const damage = (table: keyof typeof pages): void => {
    const bytes = readFileSync(file)
    // Its last bytes are the rows.
    const start = (pages[table] - 1) * 4_096
    writeFileSync(file, bytes.fill(7, start + 4_080, start + 4_096))
  }
  damage('large')
  expect(integrityErrors(file)).not.toEqual([])
  expect(boundedIntegrity(file, 2)).toEqual({ errors: [], unchecked: ['large'] })
  damage('small')
  expect(boundedIntegrity(file, 2)).toEqual({ errors: [expect.any(String)], unchecked: ['large'] })
})

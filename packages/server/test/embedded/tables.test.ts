/** The tables of the store and of the embedded provider, compared with the operator's guide. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tables as known } from '../../src/storage/tables.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { queryIdentity, tablesOf } from '../../testkit/store.ts'

const app = useEmbeddedApp()

test('the guide says of every table what makes it grow, what bounds it, what deletes from it and what a year costs', async () => {
  const stored = [...(await tablesOf(app.dataDir)).keys()]
  expect(stored.toSorted()).toEqual(known)
  const provided = await queryIdentity(app.dataDir, "select name from sqlite_schema where type = 'table'")
  const tables = [...stored, ...provided.map(({ name }) => String(name))]
  const guide = readFileSync(new URL('../../../../docs/operator-guide.md', import.meta.url), 'utf8')
  const [, section = ''] = /^## What grows\n([^]*?)^## /m.exec(guide) ?? []
  const rows = [...section.matchAll(/^\| (`[^|]*) \|(.*)\|$/gm)]
  const listed = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  expect(listed.toSorted()).toEqual(tables.toSorted())
  for (const [, , cells = ''] of rows) expect(cells.split('|').filter((cell) => cell.trim() !== '')).toHaveLength(4)
})

/// <reference types="vite/types/importMeta.d.ts" />
/** Tests every query on every engine. The last test fails if a query has no test. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { allQueries, moduleNames, queries, type Queries } from './queries/modules.ts'
import type { OpenSql } from './sql.suite.ts'

type Part = (name: string, queries: Queries, open: OpenSql) => void

/** The files of the folder, each of which exports its part of the suite. */
const parts = Object.values(
  import.meta.glob<Record<string, Part>>(['./queries/*.ts', '!./queries/{ground,modules}.ts'], { eager: true }),
)

/** Files of the room that hold no queries of an aggregate. */
const others = [
  'actor',
  'audit-content',
  'audit-gate',
  'chain',
  'checkpoint-thread',
  'copy-database',
  'data-directory',
  'database-problems',
  'database-watch',
  'insert',
  'integrity',
  'lock',
  'migrate',
  'open-tx',
  'sliced-tx',
  'paged-deletion',
  'picked',
  'postgres',
  'postgres-batch',
  'postgres-errors',
  'postgres-pool',
  'read-store',
  'search-path',
  'sql',
  'sqlite',
  'tables',
  'upgrade',
  'usage-journal',
  'work-folder',
]

export function queriesSuite(name: string, open: OpenSql): void {
  for (const part of parts.flatMap((file) => Object.values(file))) part(name, queries, open)

  describe(`${name}: the suite`, () => {
    test('knows every file of queries', () => {
      const folder = new URL('../../src/storage/', import.meta.url)
      const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
      const withQueries = files.map((file) => path.basename(file, '.ts')).filter((file) => !others.includes(file))
      expect(withQueries.toSorted()).toEqual(moduleNames.toSorted())
    })

    test('calls every query', () => {
      const folder = new URL('queries/', import.meta.url)
      const text = readdirSync(folder)
        .map((file) => readFileSync(new URL(file, folder), 'utf8'))
        .join('\n')
      const isCalled = (query: string): boolean => new RegExp(`\\.${query.split('.')[1]}\\b`).test(text)
      expect(allQueries.filter((query) => !isCalled(query))).toEqual([])
      expect(allQueries.length).toBeGreaterThan(30)
    })
  })
}

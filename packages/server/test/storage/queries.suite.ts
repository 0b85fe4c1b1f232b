/** Tests every query on every engine. The last test fails if a query has no test. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { accessQueries } from './queries/access.ts'
import { auditChainQueries } from './queries/audit-chain.ts'
import { auditQueries } from './queries/audit.ts'
import { billingQueries } from './queries/billing.ts'
import { changeQueries } from './queries/changes.ts'
import { deletionQueries } from './queries/deletion.ts'
import { deviceCodeQueries } from './queries/device-codes.ts'
import { historyQueries } from './queries/history.ts'
import { keyQueries } from './queries/keys.ts'
import { lastEvaluationQueries } from './queries/last-evaluations.ts'
import { makerQueries } from './queries/makers.ts'
import { missingQueries } from './queries/missing.ts'
import { organizationQueries } from './queries/organizations.ts'
import { passwordTryQueries } from './queries/password-tries.ts'
import { projectQueries } from './queries/projects.ts'
import { allQueries, moduleNames, queries } from './queries/modules.ts'
import { revisionQueries } from './queries/revisions.ts'
import { rollCountQueries } from './queries/roll-counts.ts'
import { rollQueries } from './queries/rolls.ts'
import { sealedQueries } from './queries/sealed.ts'
import { searchQueries } from './queries/search.ts'
import { serviceTokenQueries } from './queries/service-tokens.ts'
import { sessionQueries } from './queries/sessions.ts'
import { stageQueries } from './queries/stages.ts'
import { clientKeyQueries } from './queries/client-keys.ts'
import { trustQueries } from './queries/trusts.ts'
import { usageQueries } from './queries/usage.ts'
import { variableQueries } from './queries/variables.ts'
import type { OpenSql } from './sql.suite.ts'

/** Files of the room that hold no queries of an aggregate. */
const others = [
  'actor',
  'audit-content',
  'chain',
  'copy-database',
  'data-directory',
  'database-problems',
  'database-watch',
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
  'upgrade',
  'usage-journal',
  'work-folder',
]

export function queriesSuite(name: string, open: OpenSql): void {
  const parts = [
    organizationQueries,
    projectQueries,
    stageQueries,
    deletionQueries,
    accessQueries,
    searchQueries,
    missingQueries,
    variableQueries,
    historyQueries,
    rollCountQueries,
    rollQueries,
    revisionQueries,
    keyQueries,
    lastEvaluationQueries,
    sealedQueries,
    usageQueries,
    sessionQueries,
    serviceTokenQueries,
    clientKeyQueries,
    makerQueries,
    trustQueries,
    changeQueries,
    deviceCodeQueries,
    passwordTryQueries,
    billingQueries,
    auditQueries,
    auditChainQueries,
  ]
  for (const part of parts) part(name, queries, open)

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

import { inject } from 'vitest'
import { openPostgres } from '../../src/storage/postgres.ts'
import { newSchema } from '../../testkit/postgres.ts'
import { chainSuite } from './chain.suite.ts'
import { queriesSuite } from './queries.suite.ts'
import { sqlSuite, type OpenSql } from './sql.suite.ts'

const openEmpty: OpenSql = async () => {
  const sql = await openPostgres(await newSchema(inject('postgresUrl')), 10)
  return { sql, close: () => sql.close() }
}

sqlSuite('PostgreSQL', openEmpty)
queriesSuite('PostgreSQL', openEmpty)
chainSuite('PostgreSQL', openEmpty)

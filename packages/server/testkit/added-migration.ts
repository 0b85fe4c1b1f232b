/** The migrations of this version and one more, which extends the tables that every request uses. */
import { shippedFiles as filesOfThisVersion, type Files } from '../src/base/shipped-files.ts'

const tables = [
  'organizations',
  'projects',
  'stages',
  'data_keys',
  'variables',
  'variable_history',
  'audit',
  'sessions',
]
const sql = [
  ...tables.map((table) => `alter table ${table} add column of_next_version bigint not null default 0;`),
  'create index variables_of_next_version on variables (of_next_version);',
  'create table of_next_version (id bigint primary key);',
].join('\n')

export function shippedFiles(folder: 'migrations'): Files {
  const files = filesOfThisVersion(folder)
  const added = `${String(files.names.length + 1).padStart(4, '0')}-of-next-version.sql`
  return {
    names: [...files.names, added],
    read: (name) => (name === added ? Buffer.from(sql) : files.read(name)),
  }
}

/**
 * Checks which schema of PostgreSQL a connection works in. `search_path` determines it, and a database, a role or a pooler
 * can change that between two starts. The service would then not see its tables, and would create new ones.
 */
import { first, type Reader } from './sql.ts'

/** The schema with the tables of the embedded identity provider. */
export const identitySchema = 'rollkey_identity'

const docs = 'docs/scale.md, "Connections"'

async function currentSchema(sql: Reader): Promise<string | null> {
  return (await first(sql.all<{ name: string | null }>('select current_schema() as name')))?.name ?? null
}

/** Returns the schemas that have tables of the service. */
async function schemasWithTables(sql: Reader): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    `select n.nspname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relname in ('migrations', 'data_keys') group by n.nspname having count(*) = 2`,
  )
  return rows.map(({ name }) => name).toSorted()
}

/** Returns the schemas that the address requests with `options=-c search_path=…`; undefined if it requests none. */
function requestedIn(url: string): string[] | undefined {
  const [, list] = /search_path\s*=\s*(\S+)/.exec(new URL(url).searchParams.get('options') ?? '') ?? []
  return list?.split(',').map((name) => name.replaceAll('"', ''))
}

/**
 * Throws an error with a message for the operator unless connections to `url` work in the schema where the service has its
 * tables or may create them.
 */
export async function assertServiceSchema(sql: Reader, url: string): Promise<void> {
  const schema = await currentSchema(sql)
  if (schema === null) {
    throw new Error(
      'The connections to the database have no schema (expected the one with the tables of Rollkey, such as public): add an existing schema to search_path.',
    )
  }
  const requested = requestedIn(url)
  if (requested && !requested.includes(schema) && !requested.includes('$user')) {
    throw new Error(
      `The connections to the database work in the schema ${schema} (expected ${requested.join(' or ')}, which ROLLKEY_DATABASE_URL asks for): a pooler drops the start-up parameter "options". Connect without it, or set it up as in ${docs}.`,
    )
  }
  if (schema === identitySchema) {
    throw new Error(
      `The connections to the database work in ${identitySchema}, which is for the accounts alone (expected public, or another schema): remove it from the search_path of the database or the role.`,
    )
  }
  if (requested) return
  const present = await schemasWithTables(sql)
  if (present.length === 0 || present.includes(schema)) return
  throw new Error(
    `The connections to the database work in the schema ${schema} (expected ${present.join(' or ')}, which has the tables of Rollkey): restore the search_path of the database or the role, or, for another installation, add ?options=-c%20search_path%3D${schema} to ROLLKEY_DATABASE_URL.`,
  )
}

/** Throws an error with a message for the operator unless the connections that request the identity schema work in it. */
export async function assertIdentitySchema(sql: Reader): Promise<void> {
  const schema = await currentSchema(sql)
  if (schema === identitySchema) return
  throw new Error(
    `The connections for the accounts work in the schema ${schema} (expected ${identitySchema}): a pooler between Rollkey and PostgreSQL drops the start-up parameter "options". Connect without it, or set it up as in ${docs}.`,
  )
}

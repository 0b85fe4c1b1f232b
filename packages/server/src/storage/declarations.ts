/** Queries of what projects expect of their variables. */
import { pickedRows } from './picked.ts'
import type { Reader, Tx } from './sql.ts'

export interface DeclarationRow {
  readonly name: string
  /** JSON of the declaration, without its name. */
  readonly content: string
  readonly updated_at_ms: number
  readonly updated_by: string
}

/** The declarations of a project, and how often they have changed. */
export interface ProjectDeclarations {
  readonly version: number
  readonly rows: readonly DeclarationRow[]
}

type JoinedRow = { readonly [Column in keyof DeclarationRow]: DeclarationRow[Column] | null } & {
  readonly version: number
}

/** Returns all declarations of a project; undefined if there is no such project. */
export async function declarationsOf(sql: Reader, projectId: string): Promise<ProjectDeclarations | undefined> {
  const joined = await sql.all<JoinedRow>(
    `select p.declarations_version as version, d.name, d.content, d.updated_at_ms, d.updated_by
     from projects p left join declarations d on d.project_id = p.id where p.id = $1`,
    projectId,
  )
  if (!joined[0]) return undefined
  const rows = joined.filter((row): row is DeclarationRow & JoinedRow => row.name !== null)
  return { version: joined[0].version, rows }
}

/** Returns whether the declarations of a project have not changed since. */
export async function areDeclarationsAt(sql: Reader, projectId: string, version: number): Promise<boolean> {
  const rows = await sql.all('select id from projects where id = $1 and declarations_version = $2', projectId, version)
  return rows.length === 1
}

/** Counts a change of the declarations of a project. */
export async function advanceDeclarations(tx: Tx, projectId: string): Promise<void> {
  await tx.all('update projects set declarations_version = declarations_version + 1 where id = $1', projectId)
}

/** Inserts up to `maxPicked` declarations, or replaces them. */
export async function putDeclarations(tx: Tx, projectId: string, rows: readonly DeclarationRow[]): Promise<void> {
  const { text, params } = pickedRows(
    { name: 'text', content: 'text', updated_at_ms: 'bigint', updated_by: 'text' },
    rows.map((row) => [row.name, row.content, row.updated_at_ms, row.updated_by]),
  )
  await tx.all(
    `${text} insert into declarations (project_id, name, content, updated_at_ms, updated_by)
     select cast($${params.length + 1} as text), name, content, updated_at_ms, updated_by from picked where name <> ''
     on conflict (project_id, name) do update
       set content = excluded.content, updated_at_ms = excluded.updated_at_ms, updated_by = excluded.updated_by`,
    ...params,
    projectId,
  )
}

/** Deletes up to `maxPicked` declarations by their names. */
export async function deleteDeclarations(tx: Tx, projectId: string, names: readonly string[]): Promise<void> {
  const { text, params } = pickedRows(
    { name: 'text' },
    names.map((name) => [name]),
  )
  await tx.all(
    `${text} delete from declarations where project_id = $${params.length + 1} and name in (select name from picked)`,
    ...params,
    projectId,
  )
}

/** Deletes all declarations of a project, and counts that as a change. */
export async function deleteDeclarationsOf(tx: Tx, projectId: string): Promise<void> {
  await advanceDeclarations(tx, projectId)
  await tx.all('delete from declarations where project_id = $1', projectId)
}

/** Returns whether a stage is marked as production. */
export async function isProductionStage(sql: Reader, stageId: string): Promise<boolean> {
  const rows = await sql.all('select id from stages where id = $1 and is_production = 1', stageId)
  return rows.length === 1
}

/** Queries of what projects expect of their variables. */
import { TimeSlices } from '../concurrency/time-slices.ts'
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

/** How many declarations a statement reads: it bounds how long the embedded store is busy. */
const rowsOfPage = 1_000

/** Returns all declarations of a project, ordered by the store; undefined if there is no such project. */
export async function declarationsOf(sql: Reader, projectId: string): Promise<ProjectDeclarations | undefined> {
  const slices = new TimeSlices()
  let rows: DeclarationRow[] = []
  for (let version: number | undefined; ;) {
    const joined = await sql.all<JoinedRow>(
      `select p.declarations_version as version, d.name, d.content, d.updated_at_ms, d.updated_by
       from projects p left join declarations d on d.project_id = p.id and d.name > $2
       where p.id = $1 order by d.name limit $3`,
      projectId,
      rows.at(-1)?.name ?? '',
      rowsOfPage,
    )
    if (!joined[0]) return undefined
    // They changed between two pages.
    if (joined[0].version !== (version ??= joined[0].version)) [version, rows] = [undefined, []]
    else {
      for (const row of joined) if (row.name !== null) rows.push(row as DeclarationRow)
      if (joined.length < rowsOfPage) return { version, rows }
    }
    if (slices.isOver) await slices.next()
  }
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
export async function putDeclarations(
  tx: Tx,
  projectId: string,
  declarations: readonly Pick<DeclarationRow, 'name' | 'content'>[],
  { nowMs, by }: { readonly nowMs: number; readonly by: string },
): Promise<void> {
  const { text, params } = pickedRows(
    { name: 'text', content: 'text' },
    declarations.map(({ name, content }) => [name, content]),
  )
  const next = params.length + 1
  await tx.all(
    `${text} insert into declarations (project_id, name, content, updated_at_ms, updated_by)
     select cast($${next} as text), name, content, cast($${next + 1} as bigint), cast($${next + 2} as text)
     from picked where name <> ''
     on conflict (project_id, name) do update
       set content = excluded.content, updated_at_ms = excluded.updated_at_ms, updated_by = excluded.updated_by`,
    ...params,
    projectId,
    nowMs,
    by,
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

const valueAtMs = 'coalesce(v.value_at_ms, v.updated_at_ms)'

/** Returns when each of up to `maxPicked` variables of a stage got its value, by name. Those that it does not have are left out. */
export async function valueTimes(
  sql: Reader,
  stageId: string,
  names: readonly string[],
): Promise<[name: string, valueAtMs: number][]> {
  const { text, params } = pickedRows(
    { name: 'text' },
    names.map((name) => [name]),
  )
  const rows = await sql.all<{ name: string; at_ms: number }>(
    `${text} select v.name, ${valueAtMs} as at_ms from picked cross join variables v
     where v.stage_id = $${params.length + 1} and v.name = picked.name`,
    ...params,
    stageId,
  )
  return rows.map((row) => [row.name, row.at_ms])
}

/** A project that has had declarations. */
export interface DeclaredProjectRow {
  readonly id: string
  readonly slug: string
  readonly declarations_version: number
}

/** Returns the projects of an organization that are not archived and have had declarations. */
export function declaredProjects(sql: Reader, orgId: string): Promise<DeclaredProjectRow[]> {
  return sql.all(
    `select id, slug, declarations_version from projects
     where org_id = $1 and declarations_version > 0 and archived_at_ms is null and deleted_at_ms is null`,
    orgId,
  )
}

/** A variable of a stage, and when it got its value. */
export interface ValueAgeRow {
  readonly stage_slug: string
  readonly name: string
  readonly value_at_ms: number
}

/** Returns those of up to `maxPicked` variables, in the stages of a project that are not archived, that got their value at a time or before it. */
export function agedValues(
  sql: Reader,
  projectId: string,
  picked: readonly { readonly name: string; readonly atMs: number }[],
): Promise<ValueAgeRow[]> {
  const { text, params } = pickedRows(
    { name: 'text', at_ms: 'bigint' },
    picked.map(({ name, atMs }) => [name, atMs]),
  )
  return sql.all(
    `${text} select s.slug as stage_slug, v.name, ${valueAtMs} as value_at_ms
     from picked cross join stages s cross join variables v
     where s.project_id = $${params.length + 1} and s.archived_at_ms is null and s.deleted_at_ms is null
       and v.stage_id = s.id and v.name = picked.name and ${valueAtMs} <= picked.at_ms`,
    ...params,
    projectId,
  )
}

/** What the audit log tells of a variable: that it is due for another value, or that it serves another split than its chance. */
export type Told = 'due' | 'misfit'

interface ToldVariable {
  readonly orgId: string
  readonly projectSlug: string
  readonly stageSlug: string
  readonly name: string
}

/** The time that the audit log tells of, and when the variable was written as it was read. */
interface ToldTimes {
  readonly ofMs: number
  readonly writtenAtMs: number
}

function isUntoldText(what: Told): string {
  return `v.name = $4 and (v.${what}_told_ms is null or v.${what}_told_ms < $5)
    and ${what === 'due' ? valueAtMs : 'v.updated_at_ms'} = $6
    and v.stage_id = (select s.id from stages s join projects p on p.id = s.project_id
      where p.org_id = $1 and p.slug = $2 and s.slug = $3 and s.deleted_at_ms is null and p.deleted_at_ms is null)`
}

function untoldParams(at: ToldVariable, { ofMs, writtenAtMs }: ToldTimes): (string | number)[] {
  return [at.orgId, at.projectSlug, at.stageSlug, at.name, ofMs, writtenAtMs]
}

/** Returns whether `markTold` would record something, without a transaction that writes. */
export async function isUntold(sql: Reader, at: ToldVariable, what: Told, times: ToldTimes): Promise<boolean> {
  const rows = await sql.all(`select v.name from variables v where ${isUntoldText(what)}`, ...untoldParams(at, times))
  return rows.length > 0
}

/**
 * Records that the audit log tells something of a variable, unless it has told that of this time or a later one, or the variable was
 * written since it was read. Returns who wrote it last, to exactly one of many callers.
 */
export async function markTold(tx: Tx, at: ToldVariable, what: Told, times: ToldTimes): Promise<string | undefined> {
  const rows = await tx.all<{ updated_by: string }>(
    `update variables as v set ${what}_told_ms = $5 where ${isUntoldText(what)} returning updated_by`,
    ...untoldParams(at, times),
  )
  return rows[0]?.updated_by
}

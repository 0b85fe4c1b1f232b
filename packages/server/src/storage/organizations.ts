import { tables } from './tables.ts'
import type { DefaultRole } from '@rollkey/contract'
import { deletedOrganization } from '../base/api-error.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { countVariables } from './missing.ts'
import { first, type Reader, type Tx } from './sql.ts'
import { everyStage } from './stages.ts'

export interface OrganizationRow {
  readonly id: string
  readonly slug: string
}

interface OrganizationState extends OrganizationRow {
  readonly deleted_at_ms: number | null
}

const columns = 'id, slug, deleted_at_ms'

export function organizationByIdpId(sql: Reader, idpOrgId: string): Promise<OrganizationState | undefined> {
  return first(sql.all(`select ${columns} from organizations where idp_org_id = $1`, idpOrgId))
}

/** Returns all organizations with a slug or an id, also deleted ones. With an external provider, several may have the same slug. */
export function organizationsNamed(sql: Reader, slugOrId: string): Promise<OrganizationRow[]> {
  return sql.all('select id, slug from organizations where slug = $1 or id = $1', slugOrId)
}

/** Returns all organizations, also deleted ones, whose usage and audit log stay. */
export function everyOrganization(sql: Reader): Promise<OrganizationState[]> {
  return sql.all(`select ${columns} from organizations order by id`)
}

/** Inserts an organization. Returns false if one with the provider's id exists already. */
export async function insertOrganization(
  tx: Tx,
  row: { id: string; idpOrgId: string; slug: string; nowMs: number },
): Promise<boolean> {
  const rows = await tx.all(
    `insert into organizations (id, idp_org_id, slug, name, created_at_ms) values ($1, $2, $3, $4, $5)
     on conflict (idp_org_id) do nothing returning id`,
    row.id,
    row.idpOrgId,
    row.slug,
    row.slug,
    row.nowMs,
  )
  return rows.length === 1
}

export interface OrganizationSettings {
  readonly name: string
  /** 0 or 1. */
  readonly creates_on_write: number
  readonly default_role: DefaultRole
}

export function organizationSettings(sql: Reader, id: string): Promise<OrganizationSettings | undefined> {
  return first(sql.all('select name, creates_on_write, default_role from organizations where id = $1', id))
}

/** Locks an organization until the transaction ends, so that it is not deleted in between. Returns false if it was. */
export async function lockOrganization(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all(
    'update organizations set name = name where id = $1 and deleted_at_ms is null returning id',
    id,
  )
  return rows.length === 1
}

/** Locks an organization as `lockOrganization` does. Throws ORG_SCOPE_INVALID if it was deleted. */
export async function requireOrganization(tx: Tx, id: string): Promise<void> {
  if (!(await lockOrganization(tx, id))) throw deletedOrganization()
}

export async function setCreatesOnWrite(tx: Tx, id: string, createsOnWrite: boolean): Promise<void> {
  await tx.all('update organizations set creates_on_write = $2 where id = $1', id, createsOnWrite ? 1 : 0)
}

/** Returns whether writes may create projects and stages. If so, locks that setting until the transaction ends. */
export async function lockCreatesOnWrite(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all(
    'update organizations set creates_on_write = 1 where id = $1 and creates_on_write = 1 returning id',
    id,
  )
  return rows.length === 1
}

/** Counts what is stored, for the operator. Counts the variables of a stage at a time, so that the embedded store serves others. */
export async function countAll(
  sql: Reader,
): Promise<{ organizations: number; projects: number; stages: number; variables: number }> {
  const [row] = await sql.all<{ organizations: number; projects: number }>(
    `select (select count(*) from organizations where deleted_at_ms is null) as organizations,
            (select count(*) from projects where deleted_at_ms is null) as projects`,
  )
  if (!row) throw new Error('a select without a from clause returned no row')
  const stages = await everyStage(sql)
  const slices = new TimeSlices()
  let variables = 0
  for (const { stageId } of stages) {
    if (slices.isOver) await slices.next()
    variables += await countVariables(sql, stageId)
  }
  return { ...row, stages: stages.length, variables }
}

/** Returns how many rows each table has, counted up to a maximum, which bounds the time. */
export async function rowsOfTables(sql: Reader, max: number): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of tables) {
    const [row] = await sql.all<{ n: number }>(
      `select count(*) as n from (select 1 from ${table} limit cast($1 as bigint)) as found`,
      max,
    )
    rows[table] = row?.n ?? 0
  }
  return rows
}

/** Returns the id of an organization at the identity provider, or undefined if it was deleted. */
export async function idpOrgIdOf(sql: Reader, id: string): Promise<string | undefined> {
  const [row] = await sql.all<{ idp_org_id: string }>(
    'select idp_org_id from organizations where id = $1 and deleted_at_ms is null',
    id,
  )
  return row?.idp_org_id
}

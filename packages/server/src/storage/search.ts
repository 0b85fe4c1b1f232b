import type { DeclaredType, Kind } from '@rollkey/contract'
import { pickedRows } from './picked.ts'
import type { Reader } from './sql.ts'

export interface StageToSearch {
  readonly stage_id: string
  readonly project_slug: string
  readonly stage_slug: string
}

/** Returns the stages of an organization that are not archived. */
export function stagesToSearch(sql: Reader, orgId: string): Promise<StageToSearch[]> {
  return sql.all(
    `select s.id as stage_id, p.slug as project_slug, s.slug as stage_slug
     from projects p join stages s on s.project_id = p.id
     where p.org_id = $1 and p.archived_at_ms is null and s.archived_at_ms is null and s.deleted_at_ms is null`,
    orgId,
  )
}

export interface VariableMatch {
  readonly name: string
  readonly kind: Kind
  readonly declared_type: DeclaredType | null
}

/**
 * Returns up to `max` variables of a stage whose name contains the part. Ignores case for the letters that the engine
 * knows, which are at least those of ASCII. `like` would compare each character of the part at each position of the name;
 * `replace` is the substring search that both engines have.
 */
export function searchVariables(sql: Reader, stageId: string, part: string, max: number): Promise<VariableMatch[]> {
  return sql.all(
    `select name, kind, declared_type from variables
     where stage_id = $1 and replace(lower(name), lower($2), '') <> lower(name) limit $3`,
    stageId,
    part,
    max,
  )
}

export interface FoundAttributes {
  readonly stage_id: string
  readonly name: string
  /** JSON text. */
  readonly facets: string
}

/** Returns the attributes of up to `maxPicked` variables, in no particular order. */
export function foundAttributes(
  sql: Reader,
  found: readonly Pick<FoundAttributes, 'stage_id' | 'name'>[],
): Promise<FoundAttributes[]> {
  const rows = found.map((each) => [each.stage_id, each.name])
  const { text, params } = pickedRows({ stage_id: 'text', name: 'text' }, rows)
  return sql.all(
    `${text} select v.stage_id, v.name, v.facets from picked cross join variables v
     where v.stage_id = picked.stage_id and v.name = picked.name`,
    ...params,
  )
}

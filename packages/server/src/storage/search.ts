import type { DeclaredType, Kind } from '@rollkey/contract'
import type { Reader } from './sql.ts'

export interface FoundVariable {
  readonly project_slug: string
  readonly stage_slug: string
  readonly name: string
  readonly kind: Kind
  readonly declared_type: DeclaredType | null
}

/** What is looked for, and where; slugs undefined: everywhere. */
export interface Search {
  readonly part: string
  readonly projectSlug: string | undefined
  readonly stageSlug: string | undefined
  readonly most: number
}

/**
 * Returns variables of an organization whose name contains the part, of projects and stages that are not archived. Upper and
 * lower case are alike for the letters that the engine knows: at least those of ASCII. `like` would compare each character of
 * the part at each place of the name, and `replace` is the search for a part that both engines have.
 */
export function searchVariables(sql: Reader, orgId: string, search: Search): Promise<FoundVariable[]> {
  return sql.all(
    `select p.slug as project_slug, s.slug as stage_slug, v.name, v.kind, v.declared_type
     from projects p join stages s on s.project_id = p.id join variables v on v.stage_id = s.id
     where p.org_id = $1 and p.archived_at_ms is null and s.archived_at_ms is null
       and p.slug = coalesce($2, p.slug) and s.slug = coalesce($3, s.slug)
       and replace(lower(v.name), lower($4), '') <> lower(v.name)
     limit $5`,
    orgId,
    search.projectSlug ?? null,
    search.stageSlug ?? null,
    search.part,
    search.most,
  )
}

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
 * Variables of an organization whose name contains the part, of projects and stages that are not archived. Upper and lower
 * case are alike as far as the engine knows letters: at least those of ASCII.
 */
export function searchVariables(sql: Reader, orgId: string, search: Search): Promise<FoundVariable[]> {
  return sql.all(
    `select p.slug as project_slug, s.slug as stage_slug, v.name, v.kind, v.declared_type
     from projects p join stages s on s.project_id = p.id join variables v on v.stage_id = s.id
     where p.org_id = $1 and p.archived_at_ms is null and s.archived_at_ms is null
       and p.slug = coalesce($2, p.slug) and s.slug = coalesce($3, s.slug)
       and lower(v.name) like lower($4) escape '\\'
     limit $5`,
    orgId,
    search.projectSlug ?? null,
    search.stageSlug ?? null,
    `%${search.part.replaceAll(/[\\%_]/g, '\\$&')}%`,
    search.most,
  )
}

/** Where variables are, by a part of their name. */
import type { Request, Response } from '@rollkey/contract'
import { searchVariables } from '../storage/search.ts'
import type { Reader } from '../storage/sql.ts'
import { compareCodePoints } from './code-points.ts'

type Found = Response<'search'>['variables'][number]

/** Only so many are put in order: if more fit to the query, it is left open which ones are told. */
const mostSorted = 10_000

export class Search {
  readonly #sql: Reader

  constructor(sql: Reader) {
    this.#sql = sql
  }

  /** By name, then project, then stage; only those `within` a project or stage. */
  async find(
    orgId: string,
    { query, limit }: Pick<Request<'search'>, 'query' | 'limit'>,
    within: { readonly projectSlug: string | undefined; readonly stageSlug: string | undefined } | undefined,
  ): Promise<Response<'search'>> {
    const rows = await searchVariables(this.#sql, orgId, {
      part: query,
      projectSlug: within?.projectSlug,
      stageSlug: within?.stageSlug,
      most: mostSorted,
    })
    const found = rows
      .map((row) => ({
        projectSlug: row.project_slug,
        stageSlug: row.stage_slug,
        name: row.name,
        kind: row.kind,
        declaredType: row.declared_type ?? undefined,
      }))
      .toSorted(compareFound)
    return { variables: found.slice(0, limit), more: found.length > limit }
  }
}

function compareFound(a: Found, b: Found): number {
  return (
    compareCodePoints(a.name, b.name) ||
    compareCodePoints(a.projectSlug, b.projectSlug) ||
    compareCodePoints(a.stageSlug, b.stageSlug)
  )
}

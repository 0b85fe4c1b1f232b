/** The search for variables by a part of their name. */
import { compareCodePoints, type Attributes, type Request, type Response } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { searchVariables, stagesToSearch, type VariableMatch } from '../storage/search.ts'
import type { Reader } from '../storage/sql.ts'
import type { IsVisible } from './projects.ts'

type SearchResult = Response<'search'>['variables'][number]

type Found = VariableMatch & Pick<SearchResult, 'projectSlug' | 'stageSlug'>

/** Maximum results that are sorted. If more match the query, it is unspecified which ones are returned. */
const maxSorted = 10_000

export class Search {
  readonly #sql: Reader

  constructor(sql: Reader) {
    this.#sql = sql
  }

  /** Returns the variables ordered by name, project and stage, of all stages that are visible. */
  async find(
    orgId: string,
    { query, limit }: Pick<Request<'search'>, 'query' | 'limit'>,
    isVisible: IsVisible,
  ): Promise<Response<'search'>> {
    const stages = (await stagesToSearch(this.#sql, orgId)).filter((row) =>
      isVisible({ projectSlug: row.project_slug, stageSlug: row.stage_slug }),
    )
    const unsorted: Found[] = []
    // One statement per stage: between two statements the embedded store serves other requests.
    const slices = new TimeSlices()
    for (const { stage_id: id, project_slug: projectSlug, stage_slug: stageSlug } of stages) {
      const rows = await searchVariables(this.#sql, id, query, maxSorted - unsorted.length)
      for (const row of rows) unsorted.push({ ...row, projectSlug, stageSlug })
      if (unsorted.length === maxSorted) break
      if (slices.isOver) await slices.next()
    }
    const sorted = unsorted.toSorted(compareResults)
    return { variables: sorted.slice(0, limit).map(resultOf), more: sorted.length > limit }
  }
}

function resultOf({ projectSlug, stageSlug, name, kind, declared_type: declaredType, facets }: Found): SearchResult {
  const { exposure, description } = JSON.parse(facets) as Attributes
  return {
    projectSlug,
    stageSlug,
    name,
    kind,
    ...(declaredType !== null && { declaredType }),
    ...(exposure !== undefined && { exposure }),
    ...(description !== undefined && { description }),
  }
}

function compareResults(a: Found, b: Found): number {
  return (
    compareCodePoints(a.name, b.name) ||
    compareCodePoints(a.projectSlug, b.projectSlug) ||
    compareCodePoints(a.stageSlug, b.stageSlug)
  )
}

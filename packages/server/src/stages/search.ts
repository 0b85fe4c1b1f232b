/** The search for variables by a part of their name. */
import { compareCodePoints, type Attributes, type Request, type Response } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { readInPages } from '../storage/picked.ts'
import {
  foundAttributes,
  type StageToSearch,
  searchVariables,
  stagesToSearch,
  type VariableMatch,
} from '../storage/search.ts'
import type { Reader } from '../storage/sql.ts'
import type { IsVisible } from './projects.ts'

type SearchResult = Response<'search'>['variables'][number]

type Found = VariableMatch & StageToSearch

/** Attributes that are read at once: each may have 64 KiB of rules. */
const attributesAtOnce = 16

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
    for (const stage of stages) {
      const rows = await searchVariables(this.#sql, stage.stage_id, query, maxSorted - unsorted.length)
      for (const row of rows) unsorted.push({ ...row, ...stage })
      if (unsorted.length === maxSorted) break
      if (slices.isOver) await slices.next()
    }
    const sorted = unsorted.toSorted(compareResults)
    return { variables: await this.#described(sorted.slice(0, limit)), more: sorted.length > limit }
  }

  async #described(found: readonly Found[]): Promise<SearchResult[]> {
    const keyOf = (row: Pick<Found, 'stage_id' | 'name'>): string => `${row.stage_id} ${row.name}`
    const described = await readInPages(
      found,
      async (page) => {
        const rows = await foundAttributes(this.#sql, page)
        return rows.map((row) => [keyOf(row), shown(JSON.parse(row.facets) as Attributes)] as const)
      },
      attributesAtOnce,
    )
    const attributes = new Map(described)
    return found.map((row) => ({
      projectSlug: row.project_slug,
      stageSlug: row.stage_slug,
      name: row.name,
      kind: row.kind,
      ...(row.declared_type !== null && { declaredType: row.declared_type }),
      ...attributes.get(keyOf(row)),
    }))
  }
}

function shown({ exposure, description }: Attributes): Pick<SearchResult, 'exposure' | 'description'> {
  return { ...(exposure !== undefined && { exposure }), ...(description !== undefined && { description }) }
}

function compareResults(a: Found, b: Found): number {
  return (
    compareCodePoints(a.name, b.name) ||
    compareCodePoints(a.project_slug, b.project_slug) ||
    compareCodePoints(a.stage_slug, b.stage_slug)
  )
}

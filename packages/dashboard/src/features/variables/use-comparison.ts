import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { rowsOf, type Row } from './comparison.ts'
import { currentStages, type Project } from '../projects/queries.ts'
import { digestsQuery } from './queries.ts'
import { useScope } from '../../session/use-scope.ts'

interface Comparison {
  /** Undefined until every stage is there. */
  readonly rows: readonly Row[] | undefined
  readonly error: Error | null
}

/** The stages of a project that are in use, side by side. */
export function useComparison(project: Project): Comparison {
  const scope = useScope()
  const { projectSlug } = project
  const { stages, error } = useQueries({
    queries: currentStages(project).map(({ stageSlug }) => digestsQuery(scope, { projectSlug, stageSlug })),
    combine: (results) => ({
      stages: results.map(({ data }) => data?.variables),
      error: results.find((result) => result.error)?.error ?? null,
    }),
  })
  const rows = useMemo(() => {
    const known = stages.filter((variables) => variables !== undefined)
    return known.length === stages.length ? rowsOf(known) : undefined
  }, [stages])
  // While a new stage is read, what was there stays.
  const [latest, setLatest] = useState(rows)
  if (rows && rows !== latest) setLatest(rows)
  return { rows: rows ?? latest, error }
}

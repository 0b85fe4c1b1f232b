import type { WriteEntry } from '@rollkey/contract'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useScope } from '../../../session/use-scope.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Row } from '../comparison.ts'
import { plainQuery } from '../queries.ts'
import { isExposed } from '../shown-kind.ts'

/** The values of one stage by name. */
type StageValues = ReadonlyMap<string, WriteEntry>

/** The plain values of each stage. Stages without plain variables are not asked. */
export function usePlainValues(projectSlug: string, stages: readonly Stage[], rows: readonly Row[]) {
  const scope = useScope()
  const hasPlain = useMemo(
    () => stages.map((_, at) => rows.some(({ cells }) => isExposed(cells[at]?.variable ?? {}))),
    [stages, rows],
  )
  const entries = useQueries({
    queries: stages.map(({ stageSlug }, at) => ({
      ...plainQuery(scope, { projectSlug, stageSlug }),
      enabled: hasPlain[at] === true,
    })),
    combine: (results) => results.map(({ data }) => data),
  })
  return useMemo<readonly StageValues[]>(
    () => entries.map((stage) => new Map(stage?.map((entry) => [entry.name, entry]))),
    [entries],
  )
}

export type PlainValues = ReturnType<typeof usePlainValues>

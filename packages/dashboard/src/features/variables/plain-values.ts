import type { Stage } from '@rollkey/sdk/core'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { RevealedEntry } from '@rollkey/contract'
import { needsConfirmation } from '../../service/errors.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import type { Row } from '../../data/variables/comparison.ts'
import { isExposed } from '../../data/variables/labels.ts'
import { plainQuery } from '../../data/variables/queries.ts'

/** The plain values of one stage. */
interface StageValues {
  /** By name. */
  readonly values: ReadonlyMap<string, RevealedEntry>
  /** Whether the stage is protected, and shows its values only after a fresh confirmation. */
  readonly isLocked: boolean
}

/** Reads the plain values of each stage that has plain variables. */
export function usePlainValues(projectSlug: string, stages: readonly Stage[], rows: readonly Row[]) {
  const scope = useScope()
  const may = useMay()
  // What was read before a grant ended is not shown after it.
  const mayRead = useMemo(
    () => stages.map(({ stageSlug }) => may('read', { projectSlug, stageSlug })),
    [stages, may, projectSlug],
  )
  const hasPlain = useMemo(
    () => stages.map((_, at) => rows.some(({ cells }) => isExposed(cells[at]?.variable ?? {}))),
    [stages, rows],
  )
  const entries = useQueries({
    queries: stages.map(({ stageSlug }, at) => ({
      ...plainQuery(scope, { projectSlug, stageSlug }),
      enabled: hasPlain[at] === true && mayRead[at] === true,
    })),
    combine: (results) => results.map(({ data, error }) => ({ data, isLocked: !data && needsConfirmation(error) })),
  })
  return useMemo<readonly StageValues[]>(
    () =>
      entries.map(({ data, isLocked }, at) => ({
        values: new Map((mayRead[at] ? data : undefined)?.map((entry) => [entry.name, entry])),
        isLocked,
      })),
    [entries, mayRead],
  )
}

export type PlainValues = ReturnType<typeof usePlainValues>

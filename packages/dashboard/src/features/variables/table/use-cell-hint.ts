import { pastTime } from '../../../lib/time.ts'
import { useNow } from '../../../ui/use-now.ts'
import { usePersonName } from '../../members/use-person-name.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Cell, Row } from '../comparison.ts'
import { differences } from '../differences.ts'
import { labels } from './labels.ts'
import type { CellTarget } from './cell-target.ts'

/** The name of who wrote a variable last; a service token is not named. */
export function useWriterName(): (id: string) => string {
  const personName = usePersonName()
  return (id) => (id.startsWith('tok_') ? labels.serviceToken : personName(id))
}

/** Returns what a cell means, in sentences: how it differs from the stage that it is compared with, and its last change. */
export function useCellHint(stages: readonly Stage[], rows: readonly Row[]): (cell: CellTarget) => string {
  const writerName = useWriterName()
  const nowMs = useNow()
  return ({ stageSlug, name }) => {
    const row = rows.find((each) => each.name === name)
    const at = stages.findIndex((stage) => stage.stageSlug === stageSlug)
    const cell = row?.cells[at]
    if (!row || !cell) return ''
    const { updatedAtMs, updatedBy } = cell.variable ?? {}
    return [
      comparisonSentence(cell, row, stages),
      ...(updatedAtMs === undefined
        ? []
        : [labels.changed(updatedBy && writerName(updatedBy), pastTime(updatedAtMs, nowMs))]),
    ].join(' ')
  }
}

function comparisonSentence({ state, variable }: Cell, { cells }: Row, stages: readonly Stage[]): string {
  const first = cells.findIndex((cell) => cell.state === 'set')
  const firstName = stages[first]?.name ?? ''
  const reference = cells[first]?.variable
  if (state === 'different' && variable && reference) {
    return labels.differsFrom(
      firstName,
      differences(reference, variable, () => labels.otherValue),
    )
  }
  return labels.comparison[state](firstName)
}

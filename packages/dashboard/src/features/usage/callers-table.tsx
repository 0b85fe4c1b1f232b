import { Text } from '@mantine/core'
import { countText } from '../../lib/numbers.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { useCallerName } from './use-caller-name.ts'
import { placeName } from '../projects/stage-name.ts'
import type { CallerUsage } from './callers.ts'

interface CallersTableProps {
  readonly callers: readonly CallerUsage[]
}

const kinds = {
  provider: 'signed in at the identity provider',
  session: 'command-line client',
  service: 'service token',
} as const

function keyOf({ caller, how, projectSlug, stageSlug }: CallerUsage): string {
  return JSON.stringify([caller, how, projectSlug, stageSlug])
}

export function CallersTable({ callers }: CallersTableProps) {
  const nameOf = useCallerName()
  return (
    <RecordTable label="Evaluations by caller" columns={['Who', 'Stage', 'Evaluations']}>
      {callers.map((each) => (
        <RecordRow key={keyOf(each)}>
          <RecordCell label="Who">
            <bdi className="wrapping">{nameOf(each)}</bdi>
            {each.how && (
              <Text size="sm" c="dimmed">
                {kinds[each.how]}
              </Text>
            )}
          </RecordCell>
          <RecordCell label="Stage">
            {each.projectSlug === undefined ? 'Stages that do not exist' : placeName(each)}
          </RecordCell>
          <RecordCell label="Evaluations">{countText(each.evaluations)}</RecordCell>
        </RecordRow>
      ))}
    </RecordTable>
  )
}

import { Text } from '@mantine/core'
import { countText } from '../../base/numbers.ts'
import { RecordCell } from '../../components/record-cell.tsx'
import { RecordRow } from '../../components/record-row.tsx'
import { RecordTable } from '../../components/record-table.tsx'
import { useCallerName } from '../../hooks/use-caller-name.ts'
import { placeName } from '../../organization/place-name.ts'
import type { CallerUsage } from '../../usage/callers.ts'

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

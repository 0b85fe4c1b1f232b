import { SegmentedControl, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '@rollkey/sdk/core'
import { RequireRole } from '../../session/require-role.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useScope } from '../../session/use-scope.ts'
import { countText } from '../../lib/numbers.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { placeName } from '../projects/stage-name.ts'
import { serviceTokensQuery } from '../tokens/queries.ts'
import { usePersonName } from '../members/use-person-name.ts'
import { ask, type Scope } from '../../session/scope.ts'

export function EvaluationsPage() {
  return (
    <Page
      title="Evaluations"
      lead="Who evaluated how often, by stage. A batch and a pull count once, as on the bill. Days are those of UTC, and go back 400."
    >
      <RequireRole what="see who evaluates">
        <Callers />
      </RequireRole>
    </Page>
  )
}

const spans = { '7 days': 7, '30 days': 30, '90 days': 90, '400 days': 400 } as const
type SpanName = keyof typeof spans
const names = Object.keys(spans) as SpanName[]

function Callers() {
  const [span, setSpan] = useState<SpanName>('30 days')
  const { data, error } = useQuery(callersQuery(useScope(), span))
  return (
    <>
      <SegmentedControl aria-label="Time" data={names} value={span} onChange={setSpan} />
      <ErrorNotice error={error} />
      {!data && !error && <Loading />}
      {data?.callers.length === 0 && <Text c="dimmed">Nothing was evaluated in this time.</Text>}
      {data && data.callers.length > 0 && <CallersTable callers={data.callers} />}
      {data?.more === true && <Text c="dimmed">Those with the fewest evaluations are not shown.</Text>}
    </>
  )
}

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

function CallersTable({ callers }: CallersTableProps) {
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

/** The name of whoever evaluated; the id of a service token that is over. */
function useCallerName(): (usage: CallerUsage) => string {
  const personName = usePersonName()
  const { data: tokens = [] } = useQuery(serviceTokensQuery(useScope()))
  return ({ caller, how }) => {
    if (caller === undefined) return 'Not known: counted by an older version'
    return how === 'service' ? (tokens.find(({ id }) => id === caller)?.name ?? caller) : personName(caller)
  }
}

/** Who evaluated how often, for owners and admins. */

type CallerUsage = Answer<'usageCallers'>['callers'][number]

/** Days that can be chosen, today included. */

const day = 86_400_000
const refreshMs = 10_000

/** Days are those of UTC. */
const callersQuery = (scope: Scope, span: SpanName) =>
  queryOptions({
    queryKey: ['usage-callers', scope.orgSlug, span],
    queryFn: () => {
      const nowMs = Date.now()
      const from = utcDay(nowMs - (spans[span] - 1) * day)
      return ask(scope, 'usageCallers', { from, to: utcDay(nowMs) })
    },
    refetchInterval: refreshMs,
  })

function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

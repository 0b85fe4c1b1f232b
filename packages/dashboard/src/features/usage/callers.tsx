import { SegmentedControl, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useScope } from '../../session/use-scope.ts'
import { callersQuery, spans, type SpanName } from './callers.ts'
import { CallersTable } from './callers-table.tsx'

const names = Object.keys(spans) as SpanName[]

export function Callers() {
  const [span, setSpan] = useState<SpanName>('30 days')
  const { data, error } = useQuery(callersQuery(useScope(), span))
  return (
    <>
      <SegmentedControl aria-label="Time" data={names} value={span} onChange={setSpan} />
      <ProblemNotice error={error} />
      {!data && !error && <Loading />}
      {data?.callers.length === 0 && <Text c="dimmed">Nothing was evaluated in this time.</Text>}
      {data && data.callers.length > 0 && <CallersTable callers={data.callers} />}
      {data?.more === true && <Text c="dimmed">Those with the fewest evaluations are not shown.</Text>}
    </>
  )
}

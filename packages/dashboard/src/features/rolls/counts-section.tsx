import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { Section } from '../../ui/section.tsx'
import { useScope } from '../../session/use-scope.ts'
import { rollCountsQuery } from './queries.ts'
import { spans, type SpanName } from './served.ts'
import type { Place } from '../variables/queries.ts'
import { Counts } from './counts.tsx'
import { NothingServed } from './nothing-served.tsx'
import classes from './counts-section.module.css'

interface CountsSectionProps {
  readonly place: Place
  readonly name: string
}

const names = Object.keys(spans) as SpanName[]

/** How often A and B were served. */
export function CountsSection({ place, name }: CountsSectionProps) {
  const [span, setSpan] = useState<SpanName>('24 hours')
  const { data, error, dataUpdatedAt } = useQuery(rollCountsQuery(useScope(), place, name, span))
  return (
    <Section title="Served">
      <SegmentedControl
        classNames={{ label: classes['span'] }}
        aria-label="Time"
        data={names}
        value={span}
        onChange={setSpan}
      />
      <ProblemNotice error={error} />
      {!data && !error && <Loading />}
      {data?.length === 0 && <NothingServed place={place} />}
      {data && data.length > 0 && <Counts hours={data} span={span} nowMs={dataUpdatedAt} />}
    </Section>
  )
}

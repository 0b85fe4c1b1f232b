import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../../ui/loading.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { changesQuery, type Place } from '../queries.ts'
import { ChangeList } from './change-list.tsx'

interface RecentChangesProps {
  readonly place: Place
  readonly name: string
}

export function RecentChanges({ place, name }: RecentChangesProps) {
  const { data, error } = useQuery(changesQuery(useScope(), place, name))
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Last changes
      </Title>
      <ProblemNotice error={error} />
      {!data && !error && <Loading />}
      {data && <ChangeList changes={data} />}
      <TextLink
        from="/o/$orgSlug"
        to="./p/$projectSlug/history"
        params={{ projectSlug: place.projectSlug }}
        search={{ stage: place.stageSlug, name }}
        size="sm"
      >
        All changes
      </TextLink>
    </Stack>
  )
}

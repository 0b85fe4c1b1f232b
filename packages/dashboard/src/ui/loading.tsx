import { Button, Center, Group, Loader, Progress, Skeleton, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './notice.tsx'
import { labels } from './labels.ts'

export function Loading() {
  return (
    <Center mih={120} role="status" aria-label={labels.loading}>
      <Loader />
    </Center>
  )
}

interface RowsSkeletonProps {
  /** Expected number of rows. */
  readonly rows?: number
}

/** Takes the place of a list during its first load, at the same height. */
export function RowsSkeleton({ rows = 6 }: RowsSkeletonProps) {
  return (
    <Stack gap={12} role="status" aria-label={labels.loading}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={24} radius="sm" />
      ))}
    </Stack>
  )
}

/** Takes the place of a page whose title is not known yet. */
export function PageSkeleton() {
  return (
    <Stack gap={24}>
      <Skeleton width={200} height={32} radius="sm" />
      <RowsSkeleton rows={12} />
    </Stack>
  )
}

interface LoadErrorProps {
  /** What prevented loading. Null: nothing is shown. */
  readonly error: unknown
}

/** Says why something did not load, and offers to load everything on the page that failed again. */
export function LoadError({ error }: LoadErrorProps) {
  const queryClient = useQueryClient()
  if (!error) return null
  const retry = (): void =>
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  return (
    <Stack gap="xs">
      <ErrorNotice error={error} />
      <Group>
        <Button variant="default" size="xs" onClick={retry}>
          {labels.tryAgain}
        </Button>
      </Group>
    </Stack>
  )
}

interface QueryPartProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: unknown }
  /** Expected number of rows, for the skeleton. */
  readonly rows?: number
  readonly children: (data: Data) => ReactNode
}

/**
 * Shows a part of a page that loads and fails by itself. It keeps its content when a refresh fails.
 *
 * @example
 * <QueryPart query={useQuery(projectsQuery(scope))}>{(projects) => <ProjectList projects={projects} />}</QueryPart>
 */
export function QueryPart<Data>({ query: { data, error }, rows = 4, children }: QueryPartProps<Data>) {
  if (data !== undefined) return children(data)
  if (!error) return <RowsSkeleton rows={rows} />
  return <LoadError error={error} />
}

interface ProgressBarProps {
  readonly label: string
  /** Share from 0 to 1. */
  readonly share: number
  /** The share in words, such as "3 of 8". */
  readonly text: ReactNode
  /** Color by urgency. @default 'usual' */
  readonly tone?: 'usual' | 'warning' | 'danger'
}

const colors = { usual: 'verdigris', warning: 'yellow', danger: 'red' }

/** Shows how much of something is done or used. */
export function ProgressBar({ label, share, text, tone = 'usual' }: ProgressBarProps) {
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{label}</Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Group>
      <Progress value={Math.min(100, 100 * share)} color={colors[tone]} size="sm" aria-label={label} />
    </Stack>
  )
}

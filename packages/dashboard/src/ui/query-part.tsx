import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { RowsSkeleton } from './skeleton.tsx'

interface QueryPartProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: unknown; readonly refetch: () => unknown }
  /** How many rows the content has about, for the skeleton. */
  readonly rows?: number
  readonly children: (data: Data) => ReactNode
}

/**
 * A part of a page that loads and fails on its own. Once it has shown something, it keeps showing that.
 *
 * @example
 * <QueryPart query={useQuery(projectsQuery(scope))}>{(projects) => <ProjectList projects={projects} />}</QueryPart>
 */
export function QueryPart<Data>({ query: { data, error, refetch }, rows = 4, children }: QueryPartProps<Data>) {
  if (data !== undefined) return children(data)
  if (!error) return <RowsSkeleton rows={rows} />
  return (
    <Stack gap="xs">
      <ErrorNotice error={error} />
      <Group>
        <Button variant="default" size="xs" onClick={() => void refetch()}>
          Try again
        </Button>
      </Group>
    </Stack>
  )
}

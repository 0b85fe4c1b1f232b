import { Skeleton, Stack } from '@mantine/core'

interface RowsSkeletonProps {
  /** About as many as will be there. */
  readonly rows?: number
}

/** What stands in the place of a list while it loads for the first time, at the same height. */
export function RowsSkeleton({ rows = 6 }: RowsSkeletonProps) {
  return (
    <Stack gap={12} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={24} radius="sm" />
      ))}
    </Stack>
  )
}

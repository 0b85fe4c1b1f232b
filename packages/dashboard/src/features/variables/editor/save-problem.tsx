import { Stack, Text } from '@mantine/core'
import { Notice } from '../../../ui/notice.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Conflict } from '../../changes/conflict.ts'
import { ChangeList } from './change-list.tsx'

interface SaveProblemProps {
  readonly error: unknown
}

/** What kept a variable from being saved. */
export function SaveProblem({ error }: SaveProblemProps) {
  if (!(error instanceof Conflict)) return <ErrorNotice error={error} />
  return (
    <Notice kind="error" title="This variable was changed in between">
      <Stack gap="xs">
        <ChangeList changes={error.changes} />
        <Text size="sm">
          Nothing is saved yet, and what you entered is still here. Save again to replace that change, or close this to
          keep it.
        </Text>
      </Stack>
    </Notice>
  )
}

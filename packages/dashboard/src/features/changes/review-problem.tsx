import { Stack, Text } from '@mantine/core'
import { Notice } from '../../ui/notice.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { Conflict } from './conflict.ts'
import { ChangeText } from '../variables/editor/change-text.tsx'

interface ReviewProblemProps {
  readonly error: unknown
  /** Of a stage, as people see it. */
  readonly nameOf: (stageSlug: string) => string
}

/** What kept changes from being saved. */
export function ReviewProblem({ error, nameOf }: ReviewProblemProps) {
  if (!(error instanceof Conflict)) return <ProblemNotice error={error} />
  const stage = nameOf(error.stageSlug)
  return (
    <Notice kind="error" title={`Some of this was changed in ${stage} in between`}>
      <Stack gap="xs">
        <Stack component="ul" className="plain-list wrapping" gap="xs">
          {error.changes.map((change) => (
            <li key={`${change.revision} ${change.name}`}>
              <bdi>{change.name}</bdi>
              <ChangeText change={change} />
            </li>
          ))}
        </Stack>
        <Text size="sm">
          Nothing of {stage} is saved yet, and all you entered is still here. Save again to replace what others did, or
          take your change out to keep it.
        </Text>
      </Stack>
    </Notice>
  )
}

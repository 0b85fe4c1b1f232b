import { Text } from '@mantine/core'
import { TextLink } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

interface LinkProblemProps {
  readonly error: unknown
}

/** Says why a link cannot be used, with a way on for those who have an account. */
export function LinkProblem({ error }: LinkProblemProps) {
  return (
    <>
      <ErrorNotice error={error} />
      <Text size="sm">
        {labels.linkProblem} <TextLink to="/sign-in">{labels.signIn.title}</TextLink>
      </Text>
    </>
  )
}

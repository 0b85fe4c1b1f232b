import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'

interface CallbackErrorProps {
  readonly error: unknown
}

/** After a sign-in at an outside provider that could not be finished. */
export function CallbackError({ error }: CallbackErrorProps) {
  return (
    <Page title="The sign-in was not finished">
      <ProblemNotice error={error} />
      <ButtonLink to="/sign-in">Sign in again</ButtonLink>
    </Page>
  )
}

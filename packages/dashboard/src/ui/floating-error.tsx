import { Affix } from '@mantine/core'
import { ProblemNotice } from './error-notice.tsx'

interface FloatingProblemProps {
  readonly error: unknown
}

/** For what was started in the header, where there is no room to say what went wrong. */
export function FloatingProblem({ error }: FloatingProblemProps) {
  return (
    error !== null && (
      <Affix position={{ bottom: 16, left: 16, right: 16 }}>
        <ProblemNotice error={error} />
      </Affix>
    )
  )
}

import { Affix } from '@mantine/core'
import { ErrorNotice } from './error-notice.tsx'

interface FloatingErrorProps {
  readonly error: unknown
}

/** For what was started in the header, where there is no room to say what went wrong. */
export function FloatingError({ error }: FloatingErrorProps) {
  return (
    error !== null && (
      <Affix position={{ bottom: 16, left: 16, right: 16 }}>
        <ErrorNotice error={error} />
      </Affix>
    )
  )
}

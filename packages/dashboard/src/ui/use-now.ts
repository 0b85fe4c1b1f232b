import { useInterval } from '@mantine/hooks'
import { useState } from 'react'

const renewalMs = 30_000

/** The present, kept up to date as far as words such as "5 minutes ago" need it. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useInterval(() => setNowMs(Date.now()), renewalMs, { autoInvoke: true })
  return nowMs
}

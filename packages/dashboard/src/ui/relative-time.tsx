import { exactTime, relativeTime } from '../lib/time.ts'
import { useNow } from './use-now.ts'

interface RelativeTimeProps {
  readonly ms: number
}

/** A point in time as "3 hours ago", with the exact time and its zone as a hint. */
export function RelativeTime({ ms }: RelativeTimeProps) {
  const nowMs = useNow()
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactTime(ms)}>
      {relativeTime(ms, nowMs)}
    </time>
  )
}

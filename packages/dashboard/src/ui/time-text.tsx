import { absoluteTime, relativeTime } from '../lib/time.ts'
import { useNow } from './use-now.ts'

interface TimeTextProps {
  readonly ms: number
}

/** A point in time, relative and absolute. */
export function TimeText({ ms }: TimeTextProps) {
  const nowMs = useNow()
  return (
    <time dateTime={new Date(ms).toISOString()}>
      {relativeTime(ms, nowMs)} ({absoluteTime(ms)})
    </time>
  )
}

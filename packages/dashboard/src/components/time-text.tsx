import { absoluteTime, relativeTime } from '../base/time.ts'
import { useNow } from '../hooks/use-now.ts'

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

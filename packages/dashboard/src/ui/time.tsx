import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import { absoluteTime, exactTime, relativeTime } from '../lib/time.ts'
import { Avatar } from './name.tsx'
import classes from './time.module.css'
import type { Icon } from './icons.ts'

interface RelativeTimeProps {
  readonly ms: number
}

/** Shows a point in time as "3 hours ago", with the exact time and its zone as a hint. */
export function RelativeTime({ ms }: RelativeTimeProps) {
  const nowMs = useNow()
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactTime(ms)}>
      {relativeTime(ms, nowMs)}
    </time>
  )
}

interface TimeTextProps {
  readonly ms: number
}

/** Shows a point in time, relative and absolute. */
export function TimeText({ ms }: TimeTextProps) {
  const nowMs = useNow()
  return (
    <time dateTime={new Date(ms).toISOString()}>
      {relativeTime(ms, nowMs)} ({absoluteTime(ms)})
    </time>
  )
}

const renewalMs = 30_000

/** Returns the present, updated often enough for "5 minutes ago". */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useInterval(() => setNowMs(Date.now()), renewalMs, { autoInvoke: true })
  return nowMs
}

interface ByLineProps {
  readonly name: string
  readonly ms: number
  /** Shown in place of the initials, for machines. */
  readonly icon?: Icon
}

/** Shows who did something, and when: "Ada, 3 hours ago". */
export function ByLine({ name, ms, icon }: ByLineProps) {
  return (
    <span className={classes['line']}>
      <Avatar name={name} size={20} {...(icon && { icon })} />
      <span className={classes['text']}>
        {name}, <RelativeTime ms={ms} />
      </span>
    </span>
  )
}

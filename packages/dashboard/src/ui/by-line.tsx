import { Avatar } from './avatar.tsx'
import classes from './by-line.module.css'
import type { Icon } from './icons.ts'
import { RelativeTime } from './relative-time.tsx'

interface ByLineProps {
  readonly name: string
  readonly ms: number
  /** Shown in place of the initials, for machines. */
  readonly icon?: Icon
}

/** Who did something, and when: "Ada, 3 hours ago". */
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

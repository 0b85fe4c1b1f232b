import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { Avatar as Initials } from '@mantine/core'
import { IconCopyButton } from './copy.tsx'
import classes from './name.module.css'
import untrustedTextClasses from './untrusted-text.module.css'
import type { Icon } from './icons.ts'
import { labels } from './labels.ts'

interface NameProps {
  readonly children: string
  /**
   * Whether a button to copy it appears under the pointer and the focus.
   * @default false
   */
  readonly isCopyable?: boolean
}

/** Shows the name of a variable or a slug in monospace on one line, cut at its end where there is no room. */
export function Name({ children, isCopyable = false }: NameProps) {
  return (
    <span className={classes['name']}>
      <code className={classes['text']} title={children}>
        {children}
      </code>
      {isCopyable && (
        <span className={classes['copy']}>
          <IconCopyButton value={children} label={labels.copyOf(children)} />
        </span>
      )}
    </span>
  )
}

interface UntrustedTextProps {
  readonly children: string
}

/** Shows a text that a stranger may have chosen: in quotes, with an isolated writing direction, and wrapped. */
export function UntrustedText({ children }: UntrustedTextProps) {
  return (
    <q className={untrustedTextClasses['text']}>
      <bdi>{withoutHiddenCharacters(children)}</bdi>
    </q>
  )
}

const colors = ['verdigris', 'gray']

interface AvatarProps {
  readonly name: string
  /** Shown in place of the initials, for machines. */
  readonly icon?: Icon
  /**
   * Size in CSS pixels.
   * @default 24
   */
  readonly size?: number
}

/** Shows the initials of a person in a stable color, beside the name. The other colors have a meaning. */
export function Avatar({ name, icon: Art, size = 24 }: AvatarProps) {
  return (
    <Initials name={name} color={Art ? 'gray' : 'initials'} allowedInitialsColors={colors} size={size} aria-hidden>
      {Art && <Art size={Math.round(size * 0.6)} />}
    </Initials>
  )
}

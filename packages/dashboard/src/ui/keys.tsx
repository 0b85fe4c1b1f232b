import { Kbd } from '@mantine/core'
import classes from './keys.module.css'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Names of keys on this machine. */
const names: Readonly<Record<string, string>> = {
  mod: isApple ? '⌘' : 'Ctrl',
  shift: isApple ? '⇧' : 'Shift',
  enter: '↵',
  up: '↑',
  down: '↓',
  escape: 'Esc',
}

interface KeysProps {
  /** Keys that are pressed at once, joined by "+", such as "mod+K". */
  readonly children: string
}

/** Shows a keyboard shortcut with the names of this machine's keys. */
export function Keys({ children }: KeysProps) {
  return (
    <span className={classes['keys']}>
      {children.split('+').map((key) => (
        <Kbd key={key} size="xs">
          {names[key] ?? key}
        </Kbd>
      ))}
    </span>
  )
}

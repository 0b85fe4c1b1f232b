import { Kbd } from '@mantine/core'
import { isApple } from '../lib/browser.ts'
import classes from './keys.module.css'
import { labels } from './labels.ts'

/** Names of keys on this machine. */
const names: Readonly<Record<string, string>> = {
  mod: isApple ? '⌘' : labels.keys.control,
  shift: isApple ? '⇧' : labels.keys.shift,
  enter: '↵',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  home: labels.keys.home,
  end: labels.keys.end,
  space: labels.keys.space,
  tab: labels.keys.tab,
  escape: labels.keys.escape,
  f2: 'F2',
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

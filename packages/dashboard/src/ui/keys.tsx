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
  /** Keys that are pressed at once, joined by "+", such as "mod+k". */
  readonly children: string
}

/** Shows a keyboard shortcut with the names of this machine's keys. */
export function Keys({ children }: KeysProps) {
  const pressed = children.split('+')
  // A letter beside another key is written as on the keyboard.
  const isCombined = pressed.length > 1
  return (
    <span className={classes['keys']}>
      {pressed.map((key) => (
        <Kbd key={key} size="xs">
          {names[key] ?? (isCombined ? key.toUpperCase() : key)}
        </Kbd>
      ))}
    </span>
  )
}

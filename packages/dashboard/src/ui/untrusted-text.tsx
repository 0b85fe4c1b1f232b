import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import classes from './untrusted-text.module.css'

interface UntrustedTextProps {
  readonly children: string
}

/** A text that a stranger may have chosen: in quotes, with its writing direction kept to itself, and wrapped. */
export function UntrustedText({ children }: UntrustedTextProps) {
  return (
    <q className={classes['text']}>
      <bdi>{withoutHiddenCharacters(children)}</bdi>
    </q>
  )
}

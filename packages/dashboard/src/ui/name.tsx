import { IconCopyButton } from './icon-copy-button.tsx'
import classes from './name.module.css'

interface NameProps {
  readonly children: string
  /**
   * Whether a button to copy it appears under the pointer and the focus.
   * @default false
   */
  readonly isCopyable?: boolean
}

/** The name of a variable or a slug: monospace, on one line, cut at its end where there is no room. */
export function Name({ children, isCopyable = false }: NameProps) {
  return (
    <span className={classes['name']}>
      <code className={classes['text']} title={children}>
        {children}
      </code>
      {isCopyable && (
        <span className={classes['copy']}>
          <IconCopyButton value={children} label={`Copy ${children}`} />
        </span>
      )}
    </span>
  )
}

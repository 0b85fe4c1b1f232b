import { shareText } from '../lib/numbers.ts'
import classes from './split-bar.module.css'

interface SplitBarProps {
  /** The share of A, from 0 to 1. */
  readonly share: number
  /**
   * What the share is of.
   * @default 'A'
   */
  readonly label?: string
  /**
   * Whether the share stands beside the bar as a text, too.
   * @default true
   */
  readonly hasText?: boolean
}

/** How A and B share something, such as the chance of a roll, in their two colors. */
export function SplitBar({ share, label = 'A', hasText = true }: SplitBarProps) {
  const text = shareText(share, 1)
  return (
    <span className={classes['split']}>
      <span
        className={classes['bar']}
        role="img"
        aria-label={`${label}: ${text}`}
        ref={(bar) => bar?.style.setProperty('--share', `${100 * share}%`)}
      >
        {share > 0 && <span className={classes['a']} />}
        {share < 1 && <span className={classes['b']} />}
      </span>
      {hasText && (
        <span className={classes['text']} aria-hidden>
          {text}
        </span>
      )}
    </span>
  )
}

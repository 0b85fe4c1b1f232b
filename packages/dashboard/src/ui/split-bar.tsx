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

const width = 120
const height = 28

interface SparklineProps {
  /** What it shows, for those who do not see it. */
  readonly label: string
  /** Equally spaced, the oldest first. */
  readonly values: readonly number[]
}

/** The course of a number at a glance; the figures stand elsewhere. */
export function Sparkline({ label, values }: SparklineProps) {
  const most = Math.max(1, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map((value, at) => `${at * step},${height - 1 - ((height - 2) * value) / most}`).join(' ')
  return (
    <svg
      className={classes['line']}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <polygon className={classes['ground']} points={`0,${height} ${points} ${width},${height}`} />
      <polyline points={points} />
    </svg>
  )
}

import { shareText } from '../lib/numbers.ts'
import classes from './split-bar.module.css'
import { labels } from './labels.ts'

interface SplitBarProps {
  /** The share of A, from 0 to 1. */
  readonly share: number
  /**
   * Name of the share.
   * @default 'A'
   */
  readonly label?: string
  /**
   * Whether a text beside the bar states the share.
   * @default true
   */
  readonly hasText?: boolean
  /** A text beside the bar that says all of it, such as "All B". Absent: the share. */
  readonly text?: string
  /**
   * Whether the bar is a step of a plan, which keeps its color where everyone gets one side.
   * @default false
   */
  readonly isStep?: boolean
}

/** Shows the shares of A and B, such as the chance of a roll, in their two colors. Where all get one side, it is quiet. */
export function SplitBar({ share, label = labels.sideA, hasText = true, text, isStep = false }: SplitBarProps) {
  const percent = shareText(share, 1)
  const only = onlySide(share)
  const name = [labels.part(label, percent), ...(only === undefined ? [] : [only])].join(', ')
  return (
    <span className={classes['split']} data-settled={(!isStep && only !== undefined) || undefined} title={only}>
      <span
        className={classes['bar']}
        role={text === undefined ? 'img' : 'presentation'}
        aria-label={text === undefined ? name : undefined}
        ref={(bar) => bar?.style.setProperty('--share', `${100 * share}%`)}
      >
        {share > 0 && <span className={classes['a']} />}
        {share < 1 && <span className={classes['b']} />}
      </span>
      {hasText && (
        <span className={classes['text']} aria-hidden={text === undefined}>
          {text ?? percent}
        </span>
      )}
    </span>
  )
}

function onlySide(share: number): string | undefined {
  if (share === 0) return labels.allB
  return share === 1 ? labels.allA : undefined
}

const width = 120
const height = 28

interface SparklineProps {
  /** The accessible name. */
  readonly label: string
  /** Values at equal intervals, the oldest first. */
  readonly values: readonly number[]
}

/** Shows the trend of a number, whose figures are elsewhere. */
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

import classes from './sparkline.module.css'

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

import { Progress } from '@mantine/core'

interface LimitBarProps {
  /** What is limited. */
  readonly label: string
  readonly used: number
  /** Undefined: nothing to show. */
  readonly limit: number | undefined
}

const warningPercent = 80

/** How much of a limit is used. */
export function LimitBar({ label, used, limit }: LimitBarProps) {
  if (limit === undefined) return null
  const percent = used >= limit ? 100 : (100 * used) / limit
  const color = percent >= 100 ? 'red' : percent >= warningPercent ? 'yellow' : 'verdigris'
  return <Progress size="lg" radius="xl" aria-label={label} value={percent} color={color} />
}

import type { Stage } from '@rollkey/sdk/core'
import { Stack, Text } from '@mantine/core'
import { freezeEndMs, type RampStep } from '@rollkey/contract/rules'
import { useId } from 'react'
import { readerZone, relativeTime, timeInZone } from '../../lib/time.ts'
import { useNow } from '../../ui/time.tsx'
import { movesOf } from './chance-moves.ts'
import { FallNotice, MoveFigures } from './move-figures.tsx'
import classes from './plans.module.css'
import { labels } from './labels.ts'

const { rampForm: words } = labels

interface StepPreviewProps {
  readonly steps: readonly RampStep[]
  /** The chance now; undefined: unknown. */
  readonly chance: number | undefined
  readonly zone: string
  /** Undefined: not known yet. */
  readonly stage: Stage | undefined
}

/** Shows when each step is, by the clocks of the zone, and what may surprise. */
export function StepPreview({ steps, chance, zone, stage }: StepPreviewProps) {
  const heading = useId()
  const nowMs = useNow()
  const moves = movesOf(steps, chance)
  return (
    <Stack gap={4}>
      <Text id={heading} size="sm" fw={500}>
        {words.preview}
      </Text>
      <ol aria-labelledby={heading} className={`plain-list ${classes['steps']}`}>
        {moves.map((move) => (
          <li key={move.atMs}>
            <MoveFigures move={move} />
            <StepTime atMs={move.atMs} zone={zone} nowMs={nowMs} stage={stage} />
          </li>
        ))}
      </ol>
      <FallNotice moves={moves} />
    </Stack>
  )
}

interface StepTimeProps extends Pick<StepPreviewProps, 'zone' | 'stage'> {
  readonly atMs: number
  readonly nowMs: number
}

function StepTime({ atMs, zone, nowMs, stage }: StepTimeProps) {
  const endMs = freezeEndMs(stage?.protection?.freezes ?? [], atMs)
  return (
    <span className={classes['time']}>
      <time dateTime={new Date(atMs).toISOString()} title={timeInZone(atMs, readerZone())}>
        {timeInZone(atMs, zone)}
      </time>
      <Text size="xs" c="dimmed">
        {endMs === undefined ? relativeTime(atMs, nowMs) : words.frozen(timeInZone(endMs, zone))}
      </Text>
    </span>
  )
}

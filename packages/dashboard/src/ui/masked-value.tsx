import { ActionIcon, Tooltip } from '@mantine/core'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { IconCopyButton } from './copy.tsx'
import { IconHide, IconReveal } from './icons.ts'
import classes from './masked-value.module.css'
import { secondsText } from '../lib/time.ts'
import { labels } from './labels.ts'

/** How long a revealed value is shown. */
const shownSec = 30

interface MaskedValueProps {
  /** Owner of the value, for the names of the buttons, such as "API_KEY in prod". */
  readonly what: string
  /** The revealed value; undefined while it is masked. */
  readonly value: string | undefined
  /** A button that copies the value while it is masked. */
  readonly copy?: ReactNode
  readonly isRevealing?: boolean
  readonly onReveal: () => void
  /** Forgets the value, by the button and after the time. */
  readonly onHide: () => void
}

/** Shows a secret value, masked until it is revealed, and again after 30 seconds. Its buttons stay where they are. */
export function MaskedValue({ what, value, copy, isRevealing = false, onReveal, onHide }: MaskedValueProps) {
  const isMasked = value === undefined
  return (
    <span className={classes['value']}>
      {isMasked ? (
        <span className={classes['mask']} aria-hidden>
          ••••••••
        </span>
      ) : (
        <ValueText value={value} className={classes['text']} />
      )}
      {!isMasked && <Countdown key={value} onEnd={onHide} />}
      {isMasked ? copy : <IconCopyButton value={value} label={labels.copyOf(what)} />}
      <Tooltip label={isMasked ? labels.reveal : labels.hide}>
        <ActionIcon
          size="sm"
          aria-label={isMasked ? labels.revealOf(what) : labels.hideOf(what)}
          loading={isRevealing}
          onClick={isMasked ? onReveal : onHide}
        >
          {isMasked ? <IconReveal size={14} /> : <IconHide size={14} />}
        </ActionIcon>
      </Tooltip>
    </span>
  )
}

interface ValueTextProps {
  readonly value: string
  readonly className?: string | undefined
}

/** Shows a value, and says what is not in sight: that it is empty, or a line break at its end. */
export function ValueText({ value, className }: ValueTextProps) {
  if (value === '') return <em className={classes['empty']}>{labels.empty}</em>
  const text = <code className={className}>{value}</code>
  if (!value.endsWith('\n')) return text
  return (
    <span className={classes['ended']}>
      {text}
      <span className={classes['end']}>{labels.endsWithBreak}</span>
    </span>
  )
}

interface CountdownProps {
  readonly onEnd: () => void
}

/** Counts the seconds until a value is masked again. */
function Countdown({ onEnd }: CountdownProps) {
  const [leftSec, setLeftSec] = useState(shownSec)
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    // The clock decides, because browsers slow down the timers of a page in the background.
    const endMs = Date.now() + shownSec * 1000
    const timer = setInterval(() => setLeftSec(Math.max(0, Math.ceil((endMs - Date.now()) / 1000))), 1000)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    if (leftSec === 0) end()
  }, [leftSec])
  const left = secondsText(leftSec)
  return (
    <span className={classes['left']} title={labels.hiddenAgain(left)}>
      {left}
    </span>
  )
}

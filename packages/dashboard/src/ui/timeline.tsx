import { ActionIcon, Group, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { createLink } from '@tanstack/react-router'
import { type ComponentPropsWithRef, type KeyboardEvent, type ReactNode, useRef } from 'react'
import { byDay } from '../lib/days.ts'
import { clockTime, exactTime } from '../lib/time.ts'
import { Avatar } from './name.tsx'
import { useCommands } from './commands.ts'
import { FocusRegion } from './page.tsx'
import { type Icon, IconClose } from './icons.ts'
import classes from './timeline.module.css'
import { useNow } from './time.tsx'
import { labels } from './labels.ts'

interface TimelineProps<Item> {
  /** Accessible name of the list. */
  readonly label: string
  /** Items, the newest first. */
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  readonly msOf: (item: Item) => number
  /** Returns a TimelineLink, which opens the details. */
  readonly row: (item: Item) => ReactNode
  /** Returns what can be done with an item without opening it. */
  readonly action?: (item: Item) => ReactNode
  /** Key of the item whose details are open. Undefined: none is. */
  readonly chosen: string | undefined
  /** The item's TimelineDetails. */
  readonly details: ReactNode
}

/**
 * Shows events grouped by day. The details of one item are beside the list, or below its row on a narrow screen.
 * The arrow keys, j and k move between rows.
 */
export function Timeline<Item>({ label, items, keyOf, msOf, row, action, chosen, details }: TimelineProps<Item>) {
  const list = useRef<HTMLDivElement>(null)
  const nowMs = useNow()
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const isListed = items.some((item) => keyOf(item) === chosen)
  const panel = chosen !== undefined && (
    <div className={classes['panel']}>
      <FocusRegion key={chosen}>{details}</FocusRegion>
    </div>
  )
  useCommands([
    { label: labels.nextEntry, keys: 'j', isKeyOnly: true, run: () => moveFocus(list.current, 1) },
    { label: labels.previousEntry, keys: 'k', isKeyOnly: true, run: () => moveFocus(list.current, -1) },
  ])
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key]
    if (step !== undefined && isOnRow(event.target) && moveFocus(list.current, step)) event.preventDefault()
  }
  return (
    <div className={classes['timeline']} data-open={panel !== false || undefined}>
      {!isWide && !isListed && panel}
      {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions -- The keys move the focus between its links. */}
      <div ref={list} onKeyDown={onKeyDown}>
        {byDay(items, msOf, nowMs).map((day) => (
          <section key={day.heading} className={classes['day']}>
            <Title order={2} size="h4" className={classes['heading'] ?? ''}>
              {day.heading}
            </Title>
            <ol className="plain-list" aria-label={labels.part(label, day.heading)}>
              {day.items.map((item) => (
                <li key={keyOf(item)}>
                  <div className={classes['row']}>
                    {row(item)}
                    {action && <span className={classes['action']}>{action(item)}</span>}
                  </div>
                  {!isWide && keyOf(item) === chosen && panel}
                </li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      {isWide && panel}
    </div>
  )
}

const steps: Readonly<Partial<Record<string, number>>> = { ArrowDown: 1, ArrowUp: -1 }

function isOnRow(target: EventTarget): boolean {
  return target instanceof Element && target.matches('[data-entry]')
}

/** Moves the focus from the focused or open row to the next one, and returns whether there is one. */
function moveFocus(list: HTMLElement | null, step: number): boolean {
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])]
  const focused = rows.findIndex((row) => row === document.activeElement)
  const at = focused === -1 ? rows.findIndex((row) => row.hasAttribute('aria-current')) : focused
  const next = at === -1 ? rows[0] : rows[at + step]
  next?.focus()
  return next !== undefined
}

/** Links an item to its details. */
export const TimelineLink = createLink((props: ComponentPropsWithRef<'a'>) => (
  // eslint-disable-next-line jsx-a11y/anchor-has-content -- The link gets its content with its props.
  <a {...props} data-entry className={classes['link']} />
))

interface TimelineTextProps {
  /** Who did it. */
  readonly who: string
  /**
   * The name whose initials are shown.
   * @default who
   */
  readonly initialsOf?: string
  /** Shown in place of the initials, for machines. */
  readonly icon?: Icon | undefined
  readonly ms: number
  /** The rest of the sentence. */
  readonly children: ReactNode
}

/** Shows the content of a link: initials, a sentence that begins with who did it, and the time of day. */
export function TimelineText({ who, initialsOf = who, icon, ms, children }: TimelineTextProps) {
  return (
    <>
      <Avatar name={initialsOf} {...(icon && { icon })} />
      <span className={classes['sentence']}>
        <bdi className={classes['who']}>{who}</bdi> {children}
      </span>
      <time dateTime={new Date(ms).toISOString()} title={exactTime(ms)} className={classes['time']}>
        {clockTime(ms)}
      </time>
    </>
  )
}

interface TimelineDetailsProps {
  readonly title: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Shows the details of one item. Escape closes them. */
export function TimelineDetails({ title, onClose, children }: TimelineDetailsProps) {
  useCommands([{ label: labels.closeDetails, keys: 'escape', isKeyOnly: true, run: onClose }])
  return (
    <section aria-label={labels.details} className={classes['details']}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h3">
          {title}
        </Title>
        <ActionIcon aria-label={labels.closeDetails} onClick={onClose}>
          <IconClose />
        </ActionIcon>
      </Group>
      {children}
    </section>
  )
}

/** Returns the focus from the details to their row. */
export function focusChosenRow(): void {
  document.querySelector<HTMLElement>('[data-entry][aria-current]')?.focus()
}

import type { ReactNode } from 'react'
import { Text } from '@mantine/core'
import classes from './description-list.module.css'

interface DescriptionListProps {
  /** Facts by their names. Undefined: not shown. */
  readonly facts: Readonly<Record<string, ReactNode>>
}

export function DescriptionList({ facts }: DescriptionListProps) {
  return (
    <dl className={classes['facts']}>
      {Object.entries(facts).map(
        ([name, fact]) =>
          fact !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

interface StatProps {
  readonly label: string
  /** The formatted number. */
  readonly value: ReactNode
  /** Its proportion, such as the limit. */
  readonly context?: ReactNode
}

/** Shows a large number. */
export function Stat({ label, value, context }: StatProps) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} lh="36px" fw={600}>
        {value}
      </Text>
      {context !== undefined && (
        <Text component="div" size="sm" c="dimmed">
          {context}
        </Text>
      )}
    </div>
  )
}

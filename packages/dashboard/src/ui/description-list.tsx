import type { ReactNode } from 'react'
import classes from './description-list.module.css'

interface DescriptionListProps {
  /** What each is called, and what it is; undefined: it is left out. */
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

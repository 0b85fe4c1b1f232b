import type { StageSlugs } from '@rollkey/sdk/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { plainQuery } from '../../data/variables/queries.ts'
import type { Labels } from '@rollkey/contract/rules'
import { labels } from './labels.ts'
import classes from './rolls.module.css'
import type { Sides } from '../../data/rolls/labels.ts'

/** Returns the values of a roll, if they are not secret and the viewer may read them, and its labels; undefined without both. */
export function useSides(place: StageSlugs, name: string, names: Labels | undefined): Sides | undefined {
  const may = useMay()
  const { data } = useQuery({ ...plainQuery(useScope(), place), enabled: may('read', place) })
  const entry = data?.find((each) => each.name === name)
  if (entry?.kind !== 'ab_roll') return names && { labels: names }
  return { a: entry.valueA, b: entry.valueB, labels: names }
}

interface SideProps {
  readonly side: 'a' | 'b'
  /** Undefined: unknown or secret, and without labels. */
  readonly sides: Sides | undefined
}

/** Shows the letter of a side and its value. A long value is cut; its whole text is a hint. */
export function Side({ side, sides }: SideProps) {
  const value = sides?.[side]
  return (
    <span className={classes['side']}>
      {sides?.labels?.[side] ?? labels[side]}
      {value !== undefined && <code title={value}>{value}</code>}
    </span>
  )
}

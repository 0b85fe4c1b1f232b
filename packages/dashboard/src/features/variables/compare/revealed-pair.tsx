import { valuesOf } from '@rollkey/contract/rules'
import type { Stage } from '../../projects/queries.ts'
import type { Revealed } from '../table/use-revealed.ts'
import { labels } from './labels.ts'
import classes from './compare.module.css'

interface RevealedPairProps {
  readonly from: Stage
  readonly to: Stage
  /** Of both stages; undefined where the variable is missing. */
  readonly values: readonly (Revealed | undefined)[]
}

/** The values of a variable in two stages, side by side. */
export function RevealedPair({ from, to, values }: RevealedPairProps) {
  return (
    <dl className={classes['pair']}>
      {[from, to].map(({ stageSlug, name }, at) => {
        const entry = values[at]?.entry
        return (
          <div key={stageSlug}>
            <dt>{name}</dt>
            <dd>{entry ? valuesOf(entry).map((value, index) => <code key={index}>{value}</code>) : labels.notSet}</dd>
          </div>
        )
      })}
    </dl>
  )
}

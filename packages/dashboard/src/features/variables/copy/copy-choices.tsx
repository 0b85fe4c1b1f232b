import { toggled } from '../../../lib/sets.ts'
import type { Copy } from './copy.ts'
import classes from './copy-choices.module.css'

interface CopyChoicesProps {
  readonly copies: readonly Copy[]
  /** Names. */
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Plain boxes, for there may be thousands. */
export function CopyChoices({ copies, chosen, onChange }: CopyChoicesProps) {
  const areAllChosen = copies.every(({ name }) => chosen.has(name))
  const toggleAll = (): void => onChange(new Set(areAllChosen ? [] : copies.map(({ name }) => name)))
  return (
    <fieldset className={classes['choices']}>
      <legend>What differs</legend>
      <label className={classes['choice']}>
        <input type="checkbox" checked={areAllChosen} onChange={toggleAll} />
        All {copies.length}
      </label>
      {copies.map(({ name, isNew }) => (
        <label key={name} className={classes['choice']}>
          <input type="checkbox" checked={chosen.has(name)} onChange={() => onChange(toggled(chosen, name))} />
          <bdi className={classes['name']}>{name}</bdi>
          <span className={classes['effect']}>{isNew ? 'new there' : 'replaces'}</span>
        </label>
      ))}
    </fieldset>
  )
}

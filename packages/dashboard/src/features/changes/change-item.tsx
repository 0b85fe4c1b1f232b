import { useDisclosure } from '@mantine/hooks'
import { differencesOf, effectNames, effectOf, type PendingChange } from './change-set.ts'
import { EntryValues } from '../variables/editor/entry-values.tsx'
import classes from './change-item.module.css'

interface ChangeItemProps {
  /** As people see it. */
  readonly stage: string
  readonly change: PendingChange
  readonly onTakeOut: () => void
}

/** Of plain elements, for there may be thousands. */
export function ChangeItem({ stage, change, onTakeOut }: ChangeItemProps) {
  const [isShown, { toggle }] = useDisclosure()
  const { name, entry } = change
  return (
    <li className={classes['item']}>
      <div className={classes['line']}>
        <div className={classes['facts']}>
          <bdi className={classes['name']}>{name}</bdi>
          <div>{[effectNames[effectOf(change)], ...differencesOf(change)].join(' · ')}</div>
        </div>
        {entry && (
          <button
            type="button"
            className={classes['action']}
            aria-expanded={isShown}
            aria-label={`${isShown ? 'Hide' : 'Show'} new value of ${name} in ${stage}`}
            onClick={toggle}
          >
            {isShown ? 'Hide new value' : 'Show new value'}
          </button>
        )}
        <button
          type="button"
          className={classes['action']}
          aria-label={`Take out ${name} in ${stage}`}
          onClick={onTakeOut}
        >
          Take out
        </button>
      </div>
      {entry && isShown && <EntryValues entry={entry} />}
    </li>
  )
}

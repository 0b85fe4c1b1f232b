import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { differencesOf, effectNames, effectOf, type PendingChange } from '../../variables/changes.ts'
import { EntryValues } from '../variable/entry-values.tsx'
import classes from './change-item.module.css'

interface ChangeItemProps {
  /** As people see it. */
  readonly stage: string
  readonly change: PendingChange
  readonly onTakeOut: () => void
}

export function ChangeItem({ stage, change, onTakeOut }: ChangeItemProps) {
  const [isShown, { toggle }] = useDisclosure()
  const { name, entry } = change
  const effect = effectOf(change)
  return (
    <li className={classes['item']} data-effect={effect}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div className={classes['facts']}>
          <bdi className={classes['name']}>{name}</bdi>
          <Text size="sm">{[effectNames[effect], ...differencesOf(change)].join(' · ')}</Text>
        </div>
        <Group gap="xs" wrap="nowrap">
          {entry && (
            <Button
              size="xs"
              variant="default"
              aria-expanded={isShown}
              aria-label={`New value of ${name} in ${stage}`}
              onClick={toggle}
            >
              {isShown ? 'Hide' : 'Show new value'}
            </Button>
          )}
          <Button size="xs" variant="default" aria-label={`Take ${name} in ${stage} out`} onClick={onTakeOut}>
            Take out
          </Button>
        </Group>
      </Group>
      {entry && isShown && (
        <Stack gap="xs" mt="xs">
          <EntryValues entry={entry} />
        </Stack>
      )}
    </li>
  )
}

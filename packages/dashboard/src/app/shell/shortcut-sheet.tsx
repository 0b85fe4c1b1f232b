import { Stack, Switch, Text, Title } from '@mantine/core'
import { Fragment } from 'react'
import { type Command, offeredCommands, useCharacterKeys } from '../../ui/commands.ts'
import { Keys } from '../../ui/keys.tsx'
import { labels } from '../labels.ts'
import classes from './shortcut-sheet.module.css'
import { Modal } from '../../ui/dialog.tsx'

const { shortcuts: words } = labels

interface ShortcutSheetProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Lists the keyboard shortcuts that work now, the page's first. Keys that do the same share a line. */
export function ShortcutSheet({ opened, onClose }: ShortcutSheetProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={words.title}>
      <Shortcuts />
    </Modal>
  )
}

function Shortcuts() {
  const [hasCharacterKeys, setCharacterKeys] = useCharacterKeys()
  const named = offeredCommands().map(({ commands, group, isGlobal }) => ({
    commands: commands.filter(({ keys }) => keys !== undefined),
    name: group ?? (isGlobal ? words.everywhere : words.thisPage),
  }))
  const groups = Map.groupBy(named, ({ name }) => name)
  return (
    <Stack>
      {[...groups].map(([name, layers]) => (
        <ShortcutGroup key={name} name={name} commands={layers.flatMap(({ commands }) => commands)} />
      ))}
      <Switch
        label={words.characterKeys}
        description={words.characterKeysUse}
        checked={hasCharacterKeys}
        onChange={(event) => setCharacterKeys(event.currentTarget.checked)}
      />
    </Stack>
  )
}

interface ShortcutGroupProps {
  readonly name: string
  readonly commands: readonly Command[]
}

function ShortcutGroup({ name, commands }: ShortcutGroupProps) {
  if (commands.length === 0) return null
  const rows = Map.groupBy(commands, ({ label }) => label)
  return (
    <section aria-label={name}>
      <Title order={3} size="h4" mb={4}>
        {name}
      </Title>
      <ul className={classes['list']}>
        {[...rows].map(([label, alternatives]) => (
          <li key={label} className={classes['row']}>
            <Text component="span" inherit>
              {label}
            </Text>
            <span className={classes['keys']}>
              {[...new Set(alternatives.map(({ keys = '' }) => keys))].map((keys, at) => (
                <Fragment key={keys}>
                  {at > 0 && (
                    <Text component="span" size="sm" c="dimmed">
                      {words.or}
                    </Text>
                  )}
                  {keys.split(' ').map((key) => (
                    <Keys key={key}>{key}</Keys>
                  ))}
                </Fragment>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

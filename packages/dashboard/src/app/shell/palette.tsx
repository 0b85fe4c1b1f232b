import { Combobox, Loader, Modal, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { foundIn } from '../../features/projects/found.ts'
import { currentStages, searchQuery } from '../../features/projects/queries.ts'
import { ranked } from '../../lib/rank.ts'
import { useScope } from '../../session/scope.ts'
import { offeredCommands } from '../../ui/commands.ts'
import { type Icon, IconArrow, IconProject, IconRoll, IconSearch, IconSecret, IconStage } from '../../ui/icons.ts'
import { Keys } from '../../ui/keys.tsx'
import { labels } from '../labels.ts'
import classes from './palette.module.css'
import { useProjectsByUse } from './use-global-commands.ts'

interface Item {
  /** Unique in the list. */
  readonly id: string
  readonly group: string
  readonly label: string
  /** Its project or group, which the search finds too. */
  readonly context?: string
  readonly icon: Icon
  readonly keys?: string | undefined
  readonly run: () => void
}

const { palette: words } = labels
/** How long a pause shows that a person finished typing. */
const typingMs = 150
/** Minimum length of a query that is sent to the server. */
const minSearched = 2
const maxPerGroup = 8
/** Ids of the last choices in this tab. They contain names of variables, so they are not stored. */
const recentIds: string[] = []

interface PaletteProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Finds any page, project, stage, variable and action by name, never by value. */
export function Palette({ opened, onClose }: PaletteProps) {
  return (
    <Modal.Root opened={opened} onClose={onClose} centered={false} yOffset="12dvh" size={640} lockScroll={false}>
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={words.title}>
        <PaletteSearch onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  )
}

interface PaletteSearchProps {
  readonly onClose: () => void
}

function PaletteSearch({ onClose }: PaletteSearchProps) {
  const [query, setQuery] = useState('')
  const combobox = useCombobox({ opened: true })
  const { items, isSearching } = useItems(query)
  const shown = items.map(({ id }) => id).join('\n')
  const { selectFirstOption } = combobox
  useEffect(() => {
    if (shown !== '') selectFirstOption()
  }, [shown, selectFirstOption])
  const choose = (id: string): void => {
    const item = items.find((each) => each.id === id)
    recentIds.unshift(id)
    onClose()
    // The focus is back on the page before the command moves it.
    if (item) setTimeout(item.run)
  }
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          className={classes['search'] ?? ''}
          variant="unstyled"
          role="combobox"
          aria-controls={combobox.listId ?? ''}
          aria-expanded
          aria-label={words.title}
          placeholder={words.placeholder}
          data-autofocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={256}
          leftSection={isSearching ? <Loader size={16} /> : <IconSearch />}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={classes['options'] ?? ''} aria-label={words.title}>
        {items.length === 0 && <Combobox.Empty>{isSearching ? words.searching : words.nothing}</Combobox.Empty>}
        {[...Map.groupBy(items, ({ group }) => group)].map(([group, entries]) => (
          <Combobox.Group key={group} label={group}>
            {entries.map((item) => (
              <ItemOption key={item.id} item={item} />
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
    </Combobox>
  )
}

interface ItemOptionProps {
  readonly item: Item
}

function ItemOption({ item: { id, label, context, icon: ItemIcon, keys } }: ItemOptionProps) {
  return (
    <Combobox.Option value={id} className={classes['option'] ?? ''}>
      <ItemIcon />
      <span className={classes['label']}>{label}</span>
      {context !== undefined && <span className={classes['context']}>{context}</span>}
      {keys !== undefined && (
        <span className={classes['keys']}>
          {keys.split(' ').map((key) => (
            <Keys key={key}>{key}</Keys>
          ))}
        </span>
      )}
    </Combobox.Option>
  )
}

/** Returns what matches the query: recent choices first, then what matches best. */
function useItems(query: string): { readonly items: readonly Item[]; readonly isSearching: boolean } {
  const [commands] = useState(commandItems)
  const places = usePlaceItems()
  const { variables, isSearching } = useVariableItems(query)
  const local = [...commands, ...places].toSorted((one, other) => recency(one) - recency(other))
  const matching = ranked(local, query, ({ label, context = '' }) => `${label} ${context}`)
  // A short list is enough before anything is typed; stages would fill it.
  const wanted = query.trim() === '' ? matching.filter(({ group }) => group !== words.stages) : matching
  const groups = Map.groupBy([...wanted, ...variables], ({ group }) => group)
  const items = [...groups.values()].flatMap((group) => group.slice(0, maxPerGroup))
  return { items, isSearching }
}

function recency({ id }: Item): number {
  const rank = recentIds.indexOf(id)
  return rank < 0 ? recentIds.length : rank
}

/**
 * Returns the commands that were offered when the palette was opened. The page's command wins over the shell's of the same
 * name.
 */
function commandItems(): readonly Item[] {
  const items = offeredCommands().flatMap(({ commands, group, isGlobal }) =>
    commands
      .filter(({ within, isKeyOnly }) => !within && isKeyOnly !== true)
      .map(({ label, icon = IconArrow, keys, run }) => {
        const name = group ?? (isGlobal ? words.actions : words.thisPage)
        return { id: `command/${label}`, group: name, label, icon, keys, run }
      }),
  )
  return items.filter(({ id }, at) => items.findIndex((each) => each.id === id) === at)
}

function usePlaceItems(): readonly Item[] {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  return useProjectsByUse().flatMap((project): Item[] => {
    const { projectSlug, name } = project
    const params = { orgSlug, projectSlug }
    const table: Item = {
      id: `project/${projectSlug}`,
      group: words.projects,
      label: name,
      icon: IconProject,
      run: () => void navigate({ to: '/o/$orgSlug/p/$projectSlug', params }),
    }
    const stages = currentStages(project).map(({ stageSlug, name: stage }): Item => {
      const search = { stage: stageSlug }
      return {
        id: `stage/${projectSlug}/${stageSlug}`,
        group: words.stages,
        label: stage,
        context: words.historyIn(name),
        icon: IconStage,
        run: () => void navigate({ to: '/o/$orgSlug/p/$projectSlug/history', params, search }),
      }
    })
    return [table, ...stages]
  })
}

function useVariableItems(query: string): { readonly variables: readonly Item[]; readonly isSearching: boolean } {
  const scope = useScope()
  const navigate = useNavigate()
  const [part] = useDebouncedValue(query.trim(), typingMs)
  const isSearched = query.trim().length >= minSearched && part.length >= minSearched
  const { data, isFetching } = useQuery({ ...searchQuery(scope, part), enabled: isSearched })
  if (!isSearched || !data) return { variables: [], isSearching: isFetching }
  const variables = foundIn(data.variables).map(({ projectSlug, name, kind, stageSlugs }): Item => {
    const params = { orgSlug: scope.orgSlug, projectSlug }
    const search = { variable: name, stage: stageSlugs[0] }
    return {
      id: `variable/${projectSlug} ${kind} ${name}`,
      group: words.variables,
      label: name,
      context: `${projectSlug} · ${stageSlugs.join(', ')}`,
      icon: kind === 'ab_roll' ? IconRoll : IconSecret,
      run: () => void navigate({ to: '/o/$orgSlug/p/$projectSlug', params, search }),
    }
  })
  return { variables: ranked(variables, part, ({ label }) => label), isSearching: isFetching }
}

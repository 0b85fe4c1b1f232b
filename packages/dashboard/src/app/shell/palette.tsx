import { Combobox, Loader, Modal, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { labels as accountLabels } from '../../features/account/labels.ts'
import { foundIn } from '../../features/projects/found.ts'
import { useMembers } from '../../data/members.ts'
import { currentStages, searchQuery, useProjectsByUse } from '../../data/projects/queries.ts'
import { rollsQuery } from '../../data/rolls/queries.ts'
import { serviceTokensQuery } from '../../data/service-tokens.ts'
import { listed } from '../../features/rolls/roll-list.ts'
import { percentText } from '../../lib/numbers.ts'
import { nearlyRanked, partsWithoutMistake, ranked } from '../../lib/rank.ts'
import { useMay, useMayAnywhere } from '../../session/permissions.ts'
import { type Scope, useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { useOfferedCommands } from '../../ui/commands.ts'
import {
  IconAccount,
  IconArrow,
  IconCompare,
  IconDocumentation,
  IconPerson,
  IconRefresh,
  IconRoll,
  IconSearch,
  IconStop,
  IconToken,
} from '../../ui/icons.ts'
import { Keys } from '../../ui/keys.tsx'
import { focusOn } from '../../ui/focus.ts'
import { sectionFocus } from '../../ui/page.tsx'
import { documentationUrl } from '../../ui/labels.ts'
import { labels } from '../labels.ts'
import { documentationPages } from './documentation-pages.ts'
import { takeTyping } from './early-typing.ts'
import { OnceMounted } from '../../ui/dialog.tsx'
import classes from './palette.module.css'
import { type Item, otherNamesOf, usePlaceItems } from './palette-places.ts'
import { matching, textOf } from './palette-rank.ts'
import { runAt } from './use-global-commands.ts'

const { palette: words, commands } = labels
/** How long a pause shows that a person finished typing. */
const typingMs = 150
/** Minimum length of a query that is sent to the server. */
const minSearched = 2
const maxPerGroup = 12
const maxRecent = 5
/**
 * The last choices in this tab, the newest first, by person and organization. They contain names of variables, so they are
 * not stored.
 */
const recentChoices = new Map<string, readonly Item[]>()

function recentKey({ userId, orgSlug }: Scope): string {
  return `${userId}/${orgSlug}`
}

function remember(key: string, item: Item): void {
  const others = (recentChoices.get(key) ?? []).filter(({ id }) => id !== item.id)
  recentChoices.set(key, [item, ...others].slice(0, maxRecent))
}

interface PaletteProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Finds any page, project, stage, variable, person and action by name, never by value. */
export function Palette({ opened, onClose }: PaletteProps) {
  return (
    <OnceMounted opened={opened}>
      {(isOpen) => (
        <Modal.Root opened={isOpen} onClose={onClose} centered={false} yOffset="12dvh" size={640} lockScroll={false}>
          <Modal.Overlay backgroundOpacity={0.4} />
          <Modal.Content aria-label={words.title}>
            <PaletteSearch onClose={onClose} />
          </Modal.Content>
        </Modal.Root>
      )}
    </OnceMounted>
  )
}

interface PaletteSearchProps {
  readonly onClose: () => void
}

function PaletteSearch({ onClose }: PaletteSearchProps) {
  const [query, setQuery] = useState('')
  const recent = recentKey(useScope())
  // The list is open as long as the dialog is, so Escape closes both.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose })
  const { items, isSearching } = useItems(query)
  const listId = useId()
  const shown = items.map(({ id }) => id).join('\n')
  const { selectFirstOption } = combobox
  useEffect(() => {
    if (shown !== '') selectFirstOption()
  }, [shown, selectFirstOption])
  const choose = (id: string): void => {
    const item = items.find((each) => each.id === id)
    if (item?.query !== undefined) return setQuery(item.query)
    onClose()
    if (!item?.run) return
    remember(recent, item)
    // The focus is back on the page before the command moves it.
    setTimeout(item.run)
  }
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      {/* Its own attributes name a list only from the second time on that it is rendered. */}
      <Combobox.EventsTarget withExpandedAttribute aria-expanded={items.length > 0} aria-controls={listId}>
        <TextInput
          className={classes['search'] ?? ''}
          variant="unstyled"
          aria-label={words.title}
          placeholder={words.placeholder}
          data-autofocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={256}
          leftSection={isSearching ? <Loader size={16} /> : <IconSearch />}
          value={query}
          onFocus={() => setQuery((before) => before + takeTyping())}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Results id={listId} items={items} query={query} isSearching={isSearching} />
      <KeyHints />
    </Combobox>
  )
}

interface ResultsProps {
  readonly id: string
  readonly items: readonly Item[]
  readonly query: string
  readonly isSearching: boolean
}

/** Lists what was found. A list box has options, so without them it is a message. */
function Results({ id, items, query, isSearching }: ResultsProps) {
  if (items.length === 0) {
    return (
      <Combobox.Empty id={id} className={classes['options'] ?? ''} role="status">
        {isSearching ? words.searching : words.nothing(query.trim())}
        {!isSearching && <div className={classes['hint']}>{words.nothingHint}</div>}
      </Combobox.Empty>
    )
  }
  return (
    <Combobox.Options id={id} className={classes['options'] ?? ''} aria-label={words.title}>
      {runsOf(items).map((run) => (
        <Combobox.Group key={run[0]?.id} label={run[0]?.group}>
          {run.map((item) => (
            <ItemOption key={item.id} item={item} />
          ))}
        </Combobox.Group>
      ))}
    </Combobox.Options>
  )
}

const keyHints = [
  { keys: ['up', 'down'], use: words.hints.choose },
  { keys: ['enter'], use: words.hints.open },
  { keys: ['escape'], use: words.hints.close },
]

function KeyHints() {
  return (
    <div className={classes['hints']} aria-hidden>
      {keyHints.map(({ keys, use }) => (
        <span key={use} className={classes['keys']}>
          {keys.map((key) => (
            <Keys key={key}>{key}</Keys>
          ))}
          {use}
        </span>
      ))}
    </div>
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

/** Returns what matches the query, the best first; without a query, recent choices and what is often needed. */
function useItems(query: string): { readonly items: readonly Item[]; readonly isSearching: boolean } {
  const offered = useCommandItems()
  const places = usePlaceItems(query.trim())
  const rolls = useRollItems(query)
  const tokens = useTokenItems(query)
  const people = usePeopleItems()
  const account = useAccountItems()
  const { variables, nearly, isSearching } = useVariableItems(query)
  const recent = recentChoices.get(recentKey(useScope())) ?? []
  const local = [
    ...offered.ofPage,
    ...places,
    ...offered.global,
    ...refinements,
    ...rolls,
    ...tokens,
    ...people,
    ...account,
  ]
  if (query.trim() === '') {
    const ids = new Set([...places, ...offered.global, ...refinements].map(({ id }) => id))
    // A command of another page cannot run here, and this page's are above the recent choices.
    const known = recent.filter(({ id, group }) => ids.has(id) || group === words.variables || group === words.rolls)
    const others = local.filter(({ id, isFoundOnly }) => isFoundOnly !== true && known.every((each) => each.id !== id))
    const again = known.map((item) => ({ ...item, group: words.recent }))
    const count = offered.ofPage.length
    return { items: limited([...others.slice(0, count), ...again, ...others.slice(count)]), isSearching }
  }
  const recency = ({ id }: Item): number => {
    const rank = recent.findIndex((each) => each.id === id)
    return rank < 0 ? recent.length : rank
  }
  const byUse = local.toSorted((one, other) => recency(one) - recency(other))
  const answers = [...byUse.filter(({ isAnswer }) => isAnswer === true), ...guidesOf(query)]
  // Pages to read come last, and not before variables that are still searched: Enter opens the first item.
  const pages = isSearching ? [] : ranked(documentation, query, textOf)
  const [named = [], ...rest] = matching([...byUse, ...variables], query)
  const found = unique([...answers, ...named, ...rest.flat(), ...pages])
  const isEnough = isSearching || found.length > fewFound
  const others = isEnough ? [] : nearlyRanked([...byUse, ...nearly, ...documentation], query, textOf)
  return { items: inParts([[...answers, ...named], ...rest, pages, others]), isSearching }
}

/** Up to how many results mean that the query may be mistyped. */
const fewFound = 2

function unique(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}

/** Returns the pages to read that a query names as a whole, such as "CLI". */
function guidesOf(query: string): readonly Item[] {
  const name = query.trim().toLowerCase()
  return documentation.filter(({ label }) => words.guides[label]?.includes(name) === true)
}

/** Returns the items by groups, one of which may stand at two places. */
function runsOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const starts = items.flatMap(({ group }, at) => (items[at - 1]?.group === group ? [] : [at]))
  return starts.map((start, at) => items.slice(start, starts[at + 1]))
}

/** Returns the items of each part by groups, so that a group takes nothing of a later part before other groups. */
function inParts(parts: readonly (readonly Item[])[]): readonly Item[] {
  return unique(parts.flatMap(limited))
}

function limited(items: readonly Item[]): readonly Item[] {
  const groups = Map.groupBy(items, ({ group }) => group)
  return [...groups.values()].flatMap((group) => group.slice(0, maxPerGroup))
}

/** Returns the items of commands. The page's command wins over the shell's of the same name. */
function useCommandItems(): { readonly ofPage: readonly Item[]; readonly global: readonly Item[] } {
  const items = useOfferedCommands().flatMap(({ commands: offered, group, isGlobal }) =>
    offered
      .filter(({ within, isKeyOnly }) => !within && isKeyOnly !== true)
      .map(({ label, icon = IconArrow, keys, run }) => {
        const name = group ?? (isGlobal ? words.actions : words.thisPage)
        return {
          id: `command/${label}`,
          group: name,
          label,
          otherNames: otherNamesOf(label),
          icon,
          keys,
          run,
          isGlobal,
        }
      }),
  )
  const distinct = items.filter(({ id }, at) => items.findIndex((each) => each.id === id) === at)
  return { ofPage: distinct.filter(({ isGlobal }) => !isGlobal), global: distinct.filter(({ isGlobal }) => isGlobal) }
}

/** Returns the members, whose access opens. */
function usePeopleItems(): readonly Item[] {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  return useMembers().map(({ id, user: { name, email } }) => ({
    id: `person/${id}`,
    isFoundOnly: true,
    group: words.people,
    label: name,
    context: email,
    icon: IconPerson,
    run: () => void runAt(`person/${id}`, navigate({ to: '/o/$orgSlug/members', params: { orgSlug } })),
  }))
}

/** Returns the parts of the page of the account. */
function useAccountItems(): readonly Item[] {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  const { provider } = useViewer()
  if (provider !== 'embedded') return []
  const { profile, password, secondFactor, passkeys, browsers } = accountLabels
  return [profile, password, secondFactor, passkeys, browsers].map(({ title }) => ({
    id: `account/${title}`,
    isFoundOnly: true,
    group: accountLabels.title,
    label: title,
    otherNames: otherNamesOf(title),
    icon: IconAccount,
    // The heading of the page takes the focus when it opens.
    run: () =>
      void navigate({ to: '/o/$orgSlug/account', params: { orgSlug } }).then(() => focusOn(sectionFocus(title))),
  }))
}

const documentation = documentationPages.map(({ page, title, contents }): Item => ({
  id: `documentation/${page}`,
  isFoundOnly: true,
  group: words.documentation,
  label: title,
  context: contents,
  otherNames: words.otherNames[title] ?? '',
  icon: IconDocumentation,
  run: () => void globalThis.open(documentationUrl + page, '_blank', 'noreferrer'),
}))

/** Commands that need another choice: choosing one searches for what it can be about. */
const refinements: readonly Item[] = [
  { id: 'compare', label: words.compareAny, icon: IconCompare, query: words.compare('') },
  { id: 'rotate', label: words.rotateAny, icon: IconRefresh, query: words.rotate('') },
  { id: 'stop-roll', label: words.stopAny, icon: IconStop, query: words.stopRoll('') },
].map((item) => ({ ...item, group: commands.create, otherNames: otherNamesOf(item.label) }))

/** Returns the rolls of the organization, to open or stop them. */
function useRollItems(query: string): readonly Item[] {
  const scope = useScope()
  const navigate = useNavigate()
  const projects = useProjectsByUse()
  const isSearched = query.trim().length >= minSearched
  const { data } = useQuery({ ...rollsQuery(scope), refetchInterval: false, enabled: isSearched })
  if (!data || !isSearched) return []
  return listed(data, projects).flatMap(({ key, projectSlug, stageSlug, name, chance, project, stage }): Item[] => {
    if (stage.archivedAtMs !== undefined) return []
    const context = `${project.name} / ${stage.name} · ${percentText(chance)}`
    const open = (): Promise<void> =>
      navigate({
        to: '/o/$orgSlug/p/$projectSlug/roll',
        params: { orgSlug: scope.orgSlug, projectSlug },
        search: { stage: stageSlug, name },
      })
    const item = { isFoundOnly: true, group: words.rolls, context }
    return [
      { ...item, id: `roll/${key}`, label: words.openRoll(name), icon: IconRoll, run: () => void open() },
      ...(chance === 0
        ? []
        : [
            {
              ...item,
              id: `stop-roll/${key}`,
              label: words.stopRoll(name),
              icon: IconStop,
              run: () => void runAt(`stop-roll/${key}`, open()),
            },
          ]),
    ]
  })
}

/** Returns the service tokens, for people who manage some of them. All searches read the same list. */
function useTokenItems(query: string): readonly Item[] {
  const scope = useScope()
  const { orgSlug } = scope
  const navigate = useNavigate()
  const isSearched = useMayAnywhere('manage') && query.trim().length >= minSearched
  const { data } = useQuery({ ...serviceTokensQuery(scope), enabled: isSearched })
  if (!data || !isSearched) return []
  return data.map(({ id, name }) => ({
    id: `token/${id}`,
    isFoundOnly: true,
    group: labels.pages.tokens,
    label: name,
    icon: IconToken,
    run: () => void navigate({ to: '/o/$orgSlug/settings/tokens', params: { orgSlug } }).then(() => focusOn(id)),
  }))
}

/** The word before the name of a secret that gets another value. */
const rotateVerb = words.rotate('').trim().toLowerCase()

interface VariableItems {
  readonly variables: readonly Item[]
  /** Others that match but for a mistyped letter, and more that do not; none while some match. */
  readonly nearly: readonly Item[]
  readonly isSearching: boolean
}

/**
 * Returns the variables with one of the words in their name; the other words may name their project and stages, such as
 * "stripe prod". The server searches for the longest word that names none of these. After the word "rotate", it is what the viewer may
 * rotate. If there are none, the server searches for parts of the word.
 */
function useVariableItems(query: string): VariableItems {
  const scope = useScope()
  const projects = useProjectsByUse()
  const itemsOf = useFoundItems()
  const [typed] = useDebouncedValue(query.trim(), typingMs)
  const [verb, ...rest] = typed.toLowerCase().split(/\s+/)
  const isRotation = verb === rotateVerb
  const parts = isRotation ? rest : [verb ?? '', ...rest]
  const places = new Set(
    projects.flatMap(({ projectSlug, stages }) => [projectSlug, ...stages.map((each) => each.stageSlug)]),
  )
  const names = parts.filter((part) => !places.has(part))
  const part = longest(names) ?? longest(parts) ?? ''
  const isSearched = query.trim().length >= minSearched && part.length >= minSearched
  const { data, isFetching, isPlaceholderData } = useQuery({ ...searchQuery(scope, part), enabled: isSearched })
  const isNone = isSearched && data?.variables.length === 0 && !isPlaceholderData
  const others = useQueries({
    queries: (isNone ? partsWithoutMistake(part) : []).map((each) => searchQuery(scope, each)),
  })
  const isWaiting = isFetching || others.some((each) => each.isFetching) || typed !== query.trim()
  const isSearching = query.trim().length >= minSearched && isWaiting
  if (!isSearched || !data) return { variables: [], nearly: [], isSearching }
  const variables = ranked(itemsOf(data.variables, parts, isRotation), typed, textOf)
  const near = new Map(
    others.flatMap(({ data: found }) => found?.variables ?? []).map((each) => [JSON.stringify(each), each]),
  )
  return { variables, nearly: itemsOf([...near.values()], parts, isRotation), isSearching }
}

/** Returns a function that returns the items of found variables: those to rotate, or to open in the first stage that the query names. */
function useFoundItems() {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  const projects = useProjectsByUse()
  const may = useMay()
  return (matches: Parameters<typeof foundIn>[0], parts: readonly string[], isRotation: boolean): readonly Item[] =>
    foundIn(matches).flatMap(({ projectSlug, name, kind, stageSlugs: found }): Item[] => {
      const project = projects.find((each) => each.projectSlug === projectSlug)
      const stageSlugs = project
        ? currentStages(project)
            .map((each) => each.stageSlug)
            .filter((slug) => found.includes(slug))
        : found
      const params = { orgSlug, projectSlug }
      const open = (stage: string | undefined, isRotating: boolean): void => {
        const search = { variable: name, stage }
        void navigate({ to: '/o/$orgSlug/p/$projectSlug', params, search, state: { isRotating } })
      }
      if (isRotation) {
        const mayWrite = (stageSlug: string): boolean => kind === 'secret' && may('write', { projectSlug, stageSlug })
        return stageSlugs.filter(mayWrite).map((stage) => ({
          id: `rotate/${projectSlug}/${stage} ${name}`,
          group: words.variables,
          label: words.rotate(name),
          context: `${projectSlug} · ${stage}`,
          icon: IconRefresh,
          run: () => open(stage, true),
        }))
      }
      const stage = stageSlugs.find((slug) => parts.includes(slug)) ?? stageSlugs[0]
      return [
        {
          id: `variable/${projectSlug} ${kind} ${name}`,
          group: words.variables,
          label: name,
          context: `${projectSlug} · ${stageSlugs.join(', ')}`,
          icon: kind === 'ab_roll' ? IconRoll : IconArrow,
          run: () => open(stage, false),
        },
      ]
    })
}

function longest(texts: readonly string[]): string | undefined {
  return texts.toSorted((one, other) => other.length - one.length)[0]
}

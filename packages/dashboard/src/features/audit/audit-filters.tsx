import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDebouncedCallback } from '@mantine/hooks'
import { type RefObject, useEffect, useRef } from 'react'
import { useScope } from '../../session/use-scope.ts'
import { projectsQuery } from '../projects/queries.ts'
import { serviceTokensQuery } from '../tokens/queries.ts'
import { useMembers } from '../members/use-members.ts'
import { usePersonName } from '../members/use-person-name.ts'
import type { AuditEntry } from './audit-filter.ts'
import type { AuditField, AuditSearch } from './audit-search.ts'
import { actionNames, actorName, operatorName } from './labels.ts'

interface AuditFiltersProps {
  readonly search: AuditSearch
  readonly onChange: (change: AuditSearch) => void
  /** Those that are shown; whoever is in them can be chosen. */
  readonly entries: readonly AuditEntry[]
}

const actions = Object.entries(actionNames).map(([value, label]) => ({ value, label }))

function choicesOf(slugs: readonly string[]) {
  return [...new Set(slugs)].map((slug) => ({ value: slug, label: slug }))
}

export function AuditFilters({ search, onChange, entries }: AuditFiltersProps) {
  const people = useActorChoices(entries)
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const chosen = projects.filter(({ projectSlug }) => search.project === undefined || search.project === projectSlug)
  const stages = chosen.flatMap((project) => project.stages)
  const field = (name: AuditField) => ({
    value: search[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      <FilterSelect label="Who" all="Everybody" choices={people} {...field('person')} />
      <FilterSelect label="What" all="Everything" choices={actions} {...field('action')} />
      <FilterSelect
        label="Project"
        all="All projects"
        choices={choicesOf(projects.map(({ projectSlug }) => projectSlug))}
        {...field('project')}
      />
      <FilterSelect
        label="Stage"
        all="All stages"
        choices={choicesOf(stages.map(({ stageSlug }) => stageSlug))}
        {...field('stage')}
      />
      <FilterInput label="Variable" type="text" placeholder="Exact name" {...field('variable')} />
      <FilterInput label="From" type="date" {...field('from')} />
      <FilterInput label="To" type="date" {...field('to')} />
    </SimpleGrid>
  )
}

interface FilterInputProps {
  readonly label: string
  readonly type: 'text' | 'date'
  readonly placeholder?: string
  /** Undefined: everything. */
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

function FilterInput({ value = '', onChange, ...input }: FilterInputProps) {
  const field = useFilterField<HTMLInputElement>(value, onChange)
  return <TextInput {...field} {...input} size="sm" autoComplete="off" spellCheck={false} />
}

/** Who may have done something: people, service tokens, the operator, and whoever did what the entries tell. */
function useActorChoices(entries: readonly AuditEntry[]) {
  const personName = usePersonName()
  const { data: tokens = [] } = useQuery(serviceTokensQuery(useScope()))
  const names = new Map([
    ...useMembers().map(({ userId, user }) => [userId, user.name] as const),
    ...tokens.map(({ id, name }) => [id, `service token ${name}`] as const),
    ['operator', operatorName] as const,
    ...entries.flatMap((entry) =>
      entry.actor === undefined ? [] : [[entry.actor, actorName(entry, personName)] as const],
    ),
  ])
  return [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => a.label.localeCompare(b.label))
}

interface Choice {
  readonly value: string
  readonly label: string
}

interface FilterSelectProps {
  readonly label: string
  /** The choice of everything. */
  readonly all: string
  readonly choices: readonly Choice[]
  /** Undefined: everything. */
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

/** A shared address may ask for what is no choice here. */
function FilterSelect({ label, all, choices, value = '', onChange }: FilterSelectProps) {
  const field = useFilterField<HTMLSelectElement>(value, onChange)
  const isKnown = value === '' || choices.some((choice) => choice.value === value)
  const data = [{ value: '', label: all }, ...choices, ...(isKnown ? [] : [{ value, label: value }])]
  return <NativeSelect {...field} label={label} data={data} size="sm" />
}

/** So long somebody pauses who is done typing. */
const pauseMs = 300

interface FilterField<Element> {
  readonly ref: RefObject<Element | null>
  readonly defaultValue: string
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
}

/**
 * For a field whose value is in the address of the page. That follows the typing a moment later, so the field keeps what is
 * typed, and takes what the address says while somebody is elsewhere.
 */
function useFilterField<Element extends HTMLInputElement | HTMLSelectElement>(
  value: string,
  onChange: (value: string) => void,
): FilterField<Element> {
  const ref = useRef<Element>(null)
  const changeLater = useDebouncedCallback(onChange, pauseMs)
  useEffect(() => {
    const field = ref.current
    if (field && document.activeElement !== field) field.value = value
  }, [value])
  return { ref, defaultValue: value, onChange: ({ currentTarget }) => changeLater(currentTarget.value) }
}

import type { AuditEntry } from '@rollkey/sdk/core'
import { Button, Group, Stack, TextInput, type TextInputProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ChangeEvent, useEffect, useRef } from 'react'
import { FieldsFilter, Filter, FilterBar, FoldedFilters } from '../../ui/filter-bar.tsx'
import { useScope } from '../../session/scope.ts'
import { projectsQuery } from '../../data/projects/queries.ts'
import { serviceTokensQuery } from '../../data/service-tokens.ts'
import { useMembers, usePersonName } from '../../data/members.ts'
import {
  type AuditField,
  type AuditSearch,
  countFilters,
  firstOfLatest,
  shownDay,
} from '../../data/audit/audit-search.ts'
import { actionNames, actorName, isOfService, labels, operatorName } from './labels.ts'

interface AuditFiltersProps {
  readonly search: AuditSearch
  readonly onChange: (change: AuditSearch) => void
  /** Clears all filters. Absent: none is set. */
  readonly onClear: (() => void) | undefined
  /** The loaded entries, whose actors can be chosen. */
  readonly entries: readonly AuditEntry[]
}

const actions = Object.entries(actionNames)
  .map(([value, label]) => ({ value, label }))
  .toSorted((one, other) => one.label.localeCompare(other.label))

export function AuditFilters({ search, onChange, onClear, entries }: AuditFiltersProps) {
  const people = useActorChoices(entries)
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const chosen = projects.filter(({ projectSlug }) => search.project === undefined || search.project === projectSlug)
  const stages = [...new Set(chosen.flatMap((project) => project.stages.map(({ stageSlug }) => stageSlug)))]
  const filter = (field: AuditField, options: readonly Choice[]) => {
    const value = search[field]
    return {
      chosen: value === undefined ? [] : [value],
      options: withChosen(options, value),
      onChange: ([next]: readonly string[]) => onChange({ [field]: next, entry: undefined }),
    }
  }
  return (
    <FilterBar onClear={onClear}>
      <FoldedFilters count={countFilters(search)}>
        <Filter label={labels.who} {...filter('person', people)} />
        <Filter label={labels.action} {...filter('action', actions)} />
        <Filter
          label={labels.project}
          {...filter(
            'project',
            projects.map(({ projectSlug }) => choiceOf(projectSlug)),
          )}
        />
        <Filter label={labels.stage} {...filter('stage', stages.map(choiceOf))} />
        <FilterInput
          aria-label={labels.variable}
          placeholder={labels.exactName}
          value={search.variable}
          onChange={(variable) => onChange({ variable, entry: undefined })}
        />
        <DatesFilter search={search} onChange={onChange} />
      </FoldedFilters>
    </FilterBar>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

function choiceOf(slug: string): Choice {
  return { value: slug, label: slug }
}

/** Adds the value of a shared address that is not among the options. */
function withChosen(options: readonly Choice[], value: string | undefined): readonly Choice[] {
  const isKnown = value === undefined || options.some((option) => option.value === value)
  return isKnown ? options : [...options, choiceOf(value)]
}

type DatesFilterProps = Pick<AuditFiltersProps, 'search' | 'onChange'>

const latest = [1, 7, 30] as const

/** Filters by days: the latest ones, or any. */
function DatesFilter({ search: { from, to }, onChange }: DatesFilterProps) {
  const change = (dates: AuditSearch): void => onChange({ ...dates, entry: undefined })
  return (
    <FieldsFilter
      label={labels.dates}
      chosen={labels.chosenDates(shownDay(from), shownDay(to))}
      onClear={() => change({ from: undefined, to: undefined })}
    >
      <Stack gap="sm">
        <Group gap="xs">
          {latest.map((days) => (
            <Button
              key={days}
              size="xs"
              variant="default"
              onClick={() => change({ from: firstOfLatest(days, Date.now()), to: undefined })}
            >
              {labels.latest[days]}
            </Button>
          ))}
        </Group>
        <Group grow gap="xs">
          <FilterInput label={labels.from} type="date" value={from} onChange={(day) => change({ from: day })} />
          <FilterInput label={labels.to} type="date" value={to} onChange={(day) => change({ to: day })} />
        </Group>
      </Stack>
    </FieldsFilter>
  )
}

interface FilterInputProps extends Pick<TextInputProps, 'label' | 'aria-label' | 'type' | 'placeholder'> {
  /** Undefined: everything. */
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

function FilterInput({ value = '', onChange, ...input }: FilterInputProps) {
  const field = useFilterField(value, onChange)
  return <TextInput {...field} {...input} autoComplete="off" spellCheck={false} />
}

/** Returns who may have done something: people, service tokens, the operator, and everyone in the entries. */
function useActorChoices(entries: readonly AuditEntry[]) {
  const personName = usePersonName()
  const { data: tokens = [] } = useQuery(serviceTokensQuery(useScope()))
  const names = new Map([
    ...useMembers().map(({ userId, user }) => [userId, user.name] as const),
    ...tokens.map(({ id, name }) => [id, labels.serviceToken(name)] as const),
    ['operator', operatorName] as const,
    ...entries.flatMap((entry) =>
      entry.actor === undefined || isOfService(entry) ? [] : [[entry.actor, actorName(entry, personName)] as const],
    ),
  ])
  return [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => a.label.localeCompare(b.label))
}

/** How long a pause shows that a person finished typing. */
const pauseMs = 300

/**
 * Returns the state of a field whose value is in the address. The address follows the typing a moment later, so the field
 * keeps the typed text, and takes the address's value while the focus is elsewhere.
 */
function useFilterField(value: string, onChange: (value: string) => void) {
  const ref = useRef<HTMLInputElement>(null)
  const changeLater = useDebouncedCallback(onChange, pauseMs)
  useEffect(() => {
    const field = ref.current
    if (field && document.activeElement !== field) field.value = value
  }, [value])
  return {
    ref,
    defaultValue: value,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => changeLater(currentTarget.value),
  }
}

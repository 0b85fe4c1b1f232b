import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '@rollkey/contract'
import { useActorChoices } from './use-actor-choices.ts'
import { useScope } from '../../session/use-scope.ts'
import type { AuditField, AuditSearch } from './audit-search.ts'
import { actionNames } from './labels.ts'
import { projectsQuery } from '../projects/queries.ts'
import { FilterInput } from './filter-input.tsx'
import { FilterSelect } from './filter-select.tsx'

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

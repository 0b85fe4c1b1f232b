import { Button, Group, Menu, Popover, Text } from '@mantine/core'
import { memo } from 'react'
import { declaredTypes } from '@rollkey/contract/rules'
import { useLocalStorage } from '@mantine/hooks'
import { Filter, FilterBar, SearchInput } from '../../../ui/filter-bar.tsx'
import { IconColumns, IconInfo } from '../../../ui/icons.ts'
import { type Status, StatusBadge } from '../../../ui/status.tsx'
import type { Stage } from '../../projects/queries.ts'
import type { Sort } from '../project-search.ts'
import { shownKinds } from '../labels.ts'
import { useScope } from '../../../session/scope.ts'
import { labels } from './labels.ts'
import { hasFilters, noFilters, type View } from './table-view.ts'
import classes from './toolbar.module.css'

interface ToolbarProps {
  readonly stages: readonly Stage[]
  readonly text: string
  readonly view: View
  readonly preferences: TablePreferences
  /** How many variables are shown. */
  readonly shown: number
  readonly all: number
  readonly onText: (text: string) => void
  readonly onView: (view: View) => void
  readonly onPreferences: (preferences: TablePreferences) => void
}

/** Shows the filters, order and columns of the table. */
export function Toolbar({ stages, text, view, preferences, shown, all, ...on }: ToolbarProps) {
  const isFiltered = hasFilters(view) || text.trim() !== ''
  const clear = (): void => {
    on.onText('')
    on.onView(noFilters)
  }
  const tools = (
    <Group gap={4}>
      <Legend />
      <ViewMenu
        stages={stages}
        sort={view.sort}
        preferences={preferences}
        onView={on.onView}
        onPreferences={on.onPreferences}
      />
    </Group>
  )
  return (
    <FilterBar count={labels.count(shown, all)} onClear={isFiltered ? clear : undefined} tools={tools}>
      <SearchInput label={labels.filterText} value={text} onChange={on.onText} next="next-variable" />
      <Filters stages={stages} view={view} onView={on.onView} />
    </FilterBar>
  )
}

interface FiltersProps {
  readonly stages: readonly Stage[]
  readonly view: View
  readonly onView: (view: View) => void
}

const typeOptions = [...declaredTypes, 'none' as const].map((type) => ({ value: type, label: labels.typeName(type) }))
const kindOptions = shownKinds.map((kind) => ({ value: kind, label: labels.kindName(kind) }))

function chosen(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}

/** Shows the filters. It does not render again while a person types in the search input. */
const Filters = memo(function Filters({ stages, view, onView }: FiltersProps) {
  const { kind, type, differing, missing } = view
  return (
    <>
      <Filter
        label={labels.status}
        options={[{ value: 'yes', label: labels.differing }]}
        chosen={chosen(differing)}
        onChange={([value]) => onView({ differing: value === undefined ? undefined : 'yes' })}
      />
      <Filter
        label={labels.missing}
        options={stages.map(({ stageSlug, name }) => ({ value: stageSlug, label: name }))}
        chosen={chosen(missing)}
        onChange={([value]) => onView({ missing: value })}
      />
      <Filter
        label={labels.kind}
        options={kindOptions}
        chosen={chosen(kind)}
        onChange={([value]) => onView({ kind: value as View['kind'] })}
      />
      <Filter
        label={labels.type}
        options={typeOptions}
        chosen={chosen(type)}
        onChange={([value]) => onView({ type: value as View['type'] })}
      />
    </>
  )
})

interface ViewMenuProps {
  readonly stages: readonly Stage[]
  readonly sort: Sort | undefined
  readonly preferences: TablePreferences
  readonly onView: (view: View) => void
  readonly onPreferences: (preferences: TablePreferences) => void
}

function without<Item>(items: readonly Item[], item: Item, isShown: boolean): readonly Item[] {
  const others = items.filter((each) => each !== item)
  return isShown ? others : [...others, item]
}

/** Sets order, density and columns of the table. */
const ViewMenu = memo(function ViewMenu({ stages, sort = 'name', preferences, onView, onPreferences }: ViewMenuProps) {
  const { density, hiddenColumns, hiddenStages } = preferences
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false} closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="subtle" color="gray" leftSection={<IconColumns />}>
          {labels.view}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{labels.sort}</Menu.Label>
        <Menu.RadioGroup value={sort} onChange={(value) => onView({ sort: value as Sort })}>
          {(['name', 'changed', 'status'] as const).map((each) => (
            <Menu.RadioItem key={each} value={each}>
              {labels.sorts[each]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{labels.density}</Menu.Label>
        <Menu.RadioGroup
          value={density}
          onChange={(value) => onPreferences({ ...preferences, density: value as TablePreferences['density'] })}
        >
          {(['compact', 'comfortable'] as const).map((each) => (
            <Menu.RadioItem key={each} value={each}>
              {labels.densities[each]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{labels.columns}</Menu.Label>
        {optionalColumns.map((column) => (
          <Menu.CheckboxItem
            key={column}
            checked={!hiddenColumns.includes(column)}
            onChange={(isShown) =>
              onPreferences({ ...preferences, hiddenColumns: without(hiddenColumns, column, isShown) })
            }
          >
            {labels.columnNames[column]}
          </Menu.CheckboxItem>
        ))}
        <Menu.Label>{labels.stages}</Menu.Label>
        {stages.map(({ stageSlug, name }) => (
          <Menu.CheckboxItem
            key={stageSlug}
            checked={!hiddenStages.includes(stageSlug)}
            onChange={(isShown) =>
              onPreferences({ ...preferences, hiddenStages: without(hiddenStages, stageSlug, isShown) })
            }
          >
            {name}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
})

const meanings: readonly (readonly [Status, string, string])[] = [
  ['same', labels.state('same', false), labels.meanings.same],
  ['different', labels.state('different', false), labels.meanings.different],
  ['missing-in-production', labels.state('missing', false), labels.meanings.missingInProduction],
  ['missing', labels.state('missing', false), labels.meanings.missing],
  ['draft', labels.draft, labels.meanings.unsaved],
  ['unreadable', labels.state('unopened', false), labels.meanings.unopened],
]

/** Explains the signs in the cells. */
const Legend = memo(function Legend() {
  return (
    <Popover position="bottom-end" width={420} trapFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" leftSection={<IconInfo />}>
          {labels.legend}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={labels.legend} maw="calc(100vw - 32px)">
        <Text size="sm" tabIndex={-1} data-autofocus>
          {labels.legendText}
        </Text>
        <dl className={classes['legend']}>
          {meanings.map(([status, name, meaning]) => (
            <div key={meaning}>
              <dt>
                <StatusBadge status={status}>{name}</StatusBadge>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
})

/** View preferences of a project's table. The browser stores slugs and settings, nothing about variables. */

type Density = 'compact' | 'comfortable'
const optionalColumns = ['type', 'description', 'lastChange'] as const
export type OptionalColumn = (typeof optionalColumns)[number]

export interface TablePreferences {
  readonly density: Density
  readonly hiddenColumns: readonly OptionalColumn[]
  /** Slugs of hidden stages. */
  readonly hiddenStages: readonly string[]
}

const initial: TablePreferences = { density: 'compact', hiddenColumns: [], hiddenStages: [] }

/** Returns what was stored, or the initial preferences where it is not readable. */
function parsed(text: string | undefined): TablePreferences {
  try {
    const stored = JSON.parse(text ?? '') as Partial<TablePreferences>
    return {
      density: stored.density === 'comfortable' ? 'comfortable' : 'compact',
      hiddenColumns: optionalColumns.filter((column) => stored.hiddenColumns?.includes(column)),
      hiddenStages: stored.hiddenStages?.filter((slug) => typeof slug === 'string') ?? [],
    }
  } catch {
    return initial
  }
}

export function useTablePreferences(projectSlug: string) {
  const { orgSlug } = useScope()
  return useLocalStorage<TablePreferences>({
    key: `rollkey.table.${orgSlug}/${projectSlug}`,
    defaultValue: initial,
    deserialize: parsed,
    getInitialValueInEffect: false,
  })
}

import { Button, Group, Menu, Pill, Popover, Text } from '@mantine/core'
import { declaredTypes } from '@rollkey/contract/rules'
import { ChevronIcon } from '../../../ui/chevron-icon.tsx'
import { SearchInput } from '../../../ui/search-input.tsx'
import type { Stage } from '../../projects/queries.ts'
import { shownKinds } from '../shown-kind.ts'
import { StateIcon } from './icons.tsx'
import { labels } from './labels.ts'
import type { ProjectSearch, Sort } from '../project-search.ts'
import { type Filters, hasFilters, noFilters } from './table-view.ts'
import { optionalColumns, type TablePreferences } from './use-table-preferences.ts'
import classes from './toolbar.module.css'

type View = Filters & Pick<ProjectSearch, 'sort'>

interface ToolbarProps {
  readonly stages: readonly Stage[]
  readonly text: string
  readonly view: View
  readonly preferences: TablePreferences
  /** Variables that are shown, of all. */
  readonly shown: number
  readonly all: number
  readonly onText: (text: string) => void
  readonly onView: (view: Partial<View>) => void
  readonly onPreferences: (preferences: TablePreferences) => void
}

/** Filters, order and columns of the table. */
export function Toolbar({ stages, text, view, preferences, shown, all, ...on }: ToolbarProps) {
  return (
    <Group className={classes['toolbar']} gap="xs">
      <SearchInput label={labels.filterText} value={text} onChange={on.onText} />
      <FilterMenu stages={stages} view={view} onView={on.onView} />
      <Chips stages={stages} view={view} onView={on.onView} />
      <Text role="status" size="sm" c="dimmed" className={classes['count']}>
        {labels.count(shown, all)}
      </Text>
      <Legend />
      <ViewMenu
        stages={stages}
        sort={view.sort}
        preferences={preferences}
        onSort={(sort) => on.onView({ sort })}
        onPreferences={on.onPreferences}
      />
    </Group>
  )
}

interface FilterProps {
  readonly stages: readonly Stage[]
  readonly view: View
  readonly onView: (view: Partial<View>) => void
}

function FilterMenu({ stages, view, onView }: FilterProps) {
  const types = [...declaredTypes, 'none'] as const
  return (
    <Menu position="bottom-start" withinPortal={false}>
      <Menu.Target>
        <Button size="sm" variant="default" rightSection={<ChevronIcon />}>
          {labels.filter}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{labels.status}</Menu.Label>
        <Menu.CheckboxItem
          checked={view.differing !== undefined}
          onChange={(isChecked) => onView({ differing: isChecked ? 'yes' : undefined })}
        >
          {labels.differing}
        </Menu.CheckboxItem>
        <Menu.RadioGroup value={view.missing ?? ''} onChange={(missing) => onView({ missing })}>
          {stages.map(({ stageSlug, name }) => (
            <Menu.RadioItem key={stageSlug} value={stageSlug}>
              {labels.missingIn(name)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{labels.kind}</Menu.Label>
        <Menu.RadioGroup value={view.kind ?? ''} onChange={(kind) => onView({ kind: kind as View['kind'] })}>
          {shownKinds.map((kind) => (
            <Menu.RadioItem key={kind} value={kind}>
              {labels.kindName(kind)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{labels.type}</Menu.Label>
        <Menu.RadioGroup value={view.type ?? ''} onChange={(type) => onView({ type: type as View['type'] })}>
          {types.map((type) => (
            <Menu.RadioItem key={type} value={type}>
              {labels.typeName(type)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}

function Chips({ stages, view, onView }: FilterProps) {
  const { kind, type, differing, missing } = view
  const missingStage = stages.find(({ stageSlug }) => stageSlug === missing)
  const chips = [
    ...(differing ? [{ text: labels.differing, change: { differing: undefined } }] : []),
    ...(missingStage ? [{ text: labels.missingIn(missingStage.name), change: { missing: undefined } }] : []),
    ...(kind ? [{ text: labels.kindName(kind), change: { kind: undefined } }] : []),
    ...(type ? [{ text: labels.typeName(type), change: { type: undefined } }] : []),
  ]
  return (
    <>
      {chips.map(({ text, change }) => (
        <Pill
          key={text}
          withRemoveButton
          onRemove={() => onView(change)}
          removeButtonProps={{ 'aria-label': labels.removeFilter(text), tabIndex: 0 }}
        >
          {text}
        </Pill>
      ))}
      {hasFilters(view) && (
        <Button size="compact-sm" variant="subtle" onClick={() => onView(noFilters)}>
          {labels.clearFilters}
        </Button>
      )}
    </>
  )
}

interface ViewMenuProps {
  readonly stages: readonly Stage[]
  readonly sort: Sort | undefined
  readonly preferences: TablePreferences
  readonly onSort: (sort: Sort) => void
  readonly onPreferences: (preferences: TablePreferences) => void
}

function without<Item>(items: readonly Item[], item: Item, isShown: boolean): readonly Item[] {
  const others = items.filter((each) => each !== item)
  return isShown ? others : [...others, item]
}

/** How a person looks at the table: order, density, columns. */
function ViewMenu({ stages, sort = 'name', preferences, onSort, onPreferences }: ViewMenuProps) {
  const { density, hiddenColumns, hiddenStages } = preferences
  return (
    <Menu position="bottom-end" withinPortal={false} closeOnItemClick={false}>
      <Menu.Target>
        <Button size="sm" variant="default" rightSection={<ChevronIcon />}>
          {labels.view}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{labels.sort}</Menu.Label>
        <Menu.RadioGroup value={sort} onChange={(value) => onSort(value as Sort)}>
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
}

const meanings = [
  ['set', false, labels.meanings.set],
  ['same', false, labels.meanings.same],
  ['different', false, labels.meanings.different],
  ['missing', true, labels.meanings.missingInProduction],
  ['missing', false, labels.meanings.missing],
  ['unopened', false, labels.meanings.unopened],
] as const

/** What the signs in the cells mean. */
function Legend() {
  return (
    <Popover position="bottom-end" width={340} withinPortal={false} trapFocus>
      <Popover.Target>
        <Button size="sm" variant="subtle">
          {labels.legend}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm">{labels.legendText}</Text>
        <dl className={classes['legend']}>
          {meanings.map(([state, isLoud, meaning]) => (
            <div key={meaning}>
              <dt data-state={state} data-loud={isLoud}>
                <StateIcon state={state} isLoud={isLoud} /> {labels.state(state, false)}
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}

import type { Project, Stage } from '@rollkey/sdk/core'
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Menu,
  NativeSelect,
  Popover,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import { memo, type ReactNode } from 'react'
import { declaredTypes } from '@rollkey/contract/rules'
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks'
import { Filter, FilterBar, SearchInput } from '../../../ui/filter-bar.tsx'
import { IconColumns, IconFilter, IconInfo, IconSelect, IconWarning } from '../../../ui/icons.ts'
import { KindIcon, type Status, StatusBadge } from '../../../ui/status.tsx'
import { useIsPhone } from '../../../ui/use-is-phone.ts'
import { type Sort, statuses } from '../project-search.ts'
import { seenKindNames, seenKinds, shownKinds } from '../../../data/variables/labels.ts'
import { useScope } from '../../../session/scope.ts'
import { labels as shared } from '../../../ui/labels.ts'
import { labels } from './labels.ts'
import type { Selection } from './selection-bar.tsx'
import { labels as planLabels } from '../../../parts/plans/labels.ts'
import { hasFilters, noFilters, type View } from './table-view.ts'
import classes from './toolbar.module.css'
import { Drawer } from '../../../ui/dialog.tsx'

interface MissingCount {
  readonly stage: Pick<Stage, 'stageSlug' | 'name'>
  readonly count: number
}

export interface Counts {
  /** How many variables are shown. */
  readonly shown: number
  readonly all: number
  /** How many shown rows are only declared. */
  readonly declared: number
}

interface ToolbarProps {
  readonly project: Project
  readonly stages: readonly Stage[]
  readonly text: string
  readonly view: View
  readonly preferences: TablePreferences
  readonly counts: Counts
  /** How many variables each production stage lacks. */
  readonly missing: readonly MissingCount[]
  /** What a phone begins with a button. Undefined: nothing can be done with a selection. */
  readonly selection: Pick<Selection, 'isSelecting' | 'toggleSelecting'> | undefined
  readonly onText: (text: string) => void
  readonly onView: (view: View) => void
  readonly onPreferences: (preferences: TablePreferences) => void
  /** What else stands above the table. */
  readonly children: ReactNode
}

/** Shows the filters, order and columns of the table. On a phone, one button opens them. */
export function Toolbar({ project, stages, text, view, preferences, counts, missing, children, ...on }: ToolbarProps) {
  const isPhone = useIsPhone()
  const isFiltered = hasFilters(view) || text.trim() !== ''
  const clear = (): void => {
    on.onText('')
    on.onView(noFilters)
  }
  const shownStages = stages.filter(({ stageSlug }) => !preferences.hiddenStages.includes(stageSlug))
  const legendStage = shownStages.length > 1 ? shownStages[0]?.name : undefined
  const controls = { project, stages, view, preferences, onView: on.onView, onPreferences: on.onPreferences }
  return (
    <FilterBar
      // On a phone, the count takes a line, so it appears when it tells something.
      count={isPhone && !isFiltered ? '' : labels.count(counts.shown, counts.all, counts.declared)}
      onClear={isFiltered ? clear : undefined}
      tools={
        !isPhone && (
          <Group gap={4}>
            {legendStage && <Legend stageName={legendStage} />}
            <ViewMenu {...controls} />
          </Group>
        )
      }
    >
      <SearchInput
        label={labels.filterText}
        shortLabel={labels.filterTextShort}
        value={text}
        onChange={on.onText}
        next="next-variable"
      />
      {isPhone ? <FilterSheet {...controls} shown={counts.shown} /> : <Filters {...controls} />}
      {isPhone && legendStage && <Legend stageName={legendStage} isCompact />}
      {isPhone && on.selection && <SelectButton {...on.selection} />}
      {view.missing === undefined &&
        missing.map(({ stage: { stageSlug, name }, count }) => (
          <Button
            key={stageSlug}
            variant="subtle"
            color="red"
            size="compact-sm"
            leftSection={<IconWarning />}
            onClick={() => on.onView({ ...view, status: undefined, missing: stageSlug })}
          >
            {labels.missingCount(count, name)}
          </Button>
        ))}
      {children}
    </FilterBar>
  )
}

/** Shows the checkboxes of the variables on a phone, or hides them again. */
function SelectButton({ isSelecting, toggleSelecting }: Pick<Selection, 'isSelecting' | 'toggleSelecting'>) {
  return (
    <ActionIcon
      size="var(--control-height)"
      variant={isSelecting ? 'light' : 'subtle'}
      aria-label={labels.selectSome}
      aria-pressed={isSelecting}
      onClick={toggleSelecting}
    >
      <IconSelect />
    </ActionIcon>
  )
}

interface ControlsProps {
  readonly project: Project
  readonly stages: readonly Stage[]
  readonly view: View
  readonly preferences: TablePreferences
  readonly onView: (view: View) => void
  readonly onPreferences: (preferences: TablePreferences) => void
}

const typeOptions = [...declaredTypes, 'none' as const].map((type) => ({ value: type, label: labels.typeName(type) }))
const kindOptions = shownKinds.map((kind) => ({ value: kind, label: labels.kindName(kind) }))

/** The option for variables that a stage lacks. */
function missingIn(stageSlug: string): string {
  return `missing/${stageSlug}`
}

/** Returns the filters with their options and what is chosen. */
function filtersOf({ stages, view, onView }: Pick<ControlsProps, 'stages' | 'view' | 'onView'>) {
  const { kind, type, status, missing } = view
  return [
    {
      label: labels.status,
      options: statuses.flatMap((value) => [
        { value: value, label: labels.statuses[value] },
        ...(value === 'missing'
          ? stages.map(({ stageSlug, name }) => ({ value: missingIn(stageSlug), label: labels.missingIn(name) }))
          : []),
      ]),
      value: missing === undefined ? status : missingIn(missing),
      choose: (value?: string) => {
        const stage = stages.find(({ stageSlug }) => missingIn(stageSlug) === value)
        onView({ status: stage ? undefined : (value as View['status']), missing: stage?.stageSlug })
      },
    },
    {
      label: labels.kind,
      options: kindOptions,
      value: kind,
      choose: (value?: string) => onView({ kind: value as View['kind'] }),
    },
    {
      label: labels.type,
      options: typeOptions,
      value: type,
      choose: (value?: string) => onView({ type: value as View['type'] }),
    },
  ]
}

/** Shows the filters. It does not render again while a person types in the search input. */
const Filters = memo(function Filters(props: ControlsProps) {
  return filtersOf(props).map(({ label, options, value, choose }) => (
    <Filter
      key={label}
      label={label}
      options={options}
      chosen={value === undefined ? [] : [value]}
      onChange={([next]) => choose(next)}
    />
  ))
})

interface FilterSheetProps extends ControlsProps {
  /** How many variables are shown. */
  readonly shown: number
}

/** Opens the filters and the view of the table from the foot of the page, for phones. */
function FilterSheet({ shown, ...props }: FilterSheetProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const filters = filtersOf(props)
  const count = filters.filter(({ value }) => value !== undefined).length
  return (
    <>
      <Button variant="default" leftSection={<IconFilter />} onClick={open}>
        {shared.filter(count)}
      </Button>
      <Drawer opened={isOpen} onClose={close} title={labels.filterTitle} position="bottom" size="auto">
        <Stack>
          <SimpleGrid cols={2}>
            {filters.map(({ label, options, value, choose }) => (
              <NativeSelect
                key={label}
                label={label}
                data={[{ value: '', label: labels.any }, ...options]}
                value={value ?? ''}
                onChange={({ currentTarget }) => choose(currentTarget.value || undefined)}
              />
            ))}
            <NativeSelect
              label={labels.sort}
              data={sorts.map((value) => ({ value, label: labels.sorts[value] }))}
              value={props.view.sort ?? 'name'}
              onChange={({ currentTarget }) => props.onView({ sort: currentTarget.value as Sort })}
            />
          </SimpleGrid>
          <ShownStages {...props} />
          <Button onClick={close}>{labels.show(shown)}</Button>
        </Stack>
      </Drawer>
    </>
  )
}

/** Shows or hides stages. */
function ShownStages({ stages, preferences, onPreferences }: ControlsProps) {
  const { hiddenStages } = preferences
  return (
    <Checkbox.Group
      label={labels.stages}
      value={stages.map(({ stageSlug }) => stageSlug).filter((slug) => !hiddenStages.includes(slug))}
      onChange={(chosen) =>
        onPreferences({
          ...preferences,
          hiddenStages: stages.map(({ stageSlug }) => stageSlug).filter((slug) => !chosen.includes(slug)),
        })
      }
    >
      <Group gap="md" mt={4}>
        {stages.map(({ stageSlug, name }) => (
          <Checkbox key={stageSlug} value={stageSlug} label={name} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

const sorts = ['name', 'changed', 'status'] as const

function without<Item>(items: readonly Item[], item: Item, isShown: boolean): readonly Item[] {
  const others = items.filter((each) => each !== item)
  return isShown ? others : [...others, item]
}

/** Sets order, density and columns of the table. */
const ViewMenu = memo(function ViewMenu({ stages, view, preferences, onView, onPreferences }: ControlsProps) {
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
        <Menu.RadioGroup value={view.sort ?? 'name'} onChange={(value) => onView({ sort: value as Sort })}>
          {sorts.map((each) => (
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

interface LegendProps {
  /** The stage with which the others are compared. */
  readonly stageName: string
  /**
   * Whether its button is an icon.
   * @default false
   */
  readonly isCompact?: boolean
}

/** Explains the signs in the cells. It floats, so that it moves nothing, and stays while the person reads the table beside it. */
export const Legend = memo(function Legend({ stageName, isCompact = false }: LegendProps) {
  const [isOpen, { toggle, close }] = useDisclosure()
  // The focus stays on the button, which has no Escape of the popover.
  useHotkeys([['Escape', close]])
  const signs: readonly (readonly [Status, string])[] = [
    ['same', labels.signs.same(stageName)],
    ['different', labels.signs.different(stageName)],
    ['missing-in-production', labels.state('missing', true)],
    ['missing', labels.signs.missing],
    ['draft', labels.signs.draft],
    ['proposed', planLabels.waits.proposed],
    ['planned', planLabels.waits.planned],
    ['unreadable', labels.state('unopened', false)],
    ['production', labels.signs.production],
    ['protected', labels.signs.protected],
  ]
  return (
    <Popover opened={isOpen} onChange={close} onDismiss={close} position="bottom-end" width={300} withinPortal={false}>
      <Popover.Target>
        {isCompact ? (
          <ActionIcon size="var(--control-height)" aria-label={labels.legend} onClick={toggle}>
            <IconInfo />
          </ActionIcon>
        ) : (
          <Button variant="subtle" color="gray" leftSection={<IconInfo />} onClick={toggle}>
            {labels.legend}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label={labels.legend}>
        <ul className={`plain-list ${classes['signs']}`}>
          {signs.map(([status, name]) => (
            <li key={status}>
              <StatusBadge status={status}>{name}</StatusBadge>
            </li>
          ))}
        </ul>
        <Text size="xs" c="dimmed" my="xs">
          {labels.legendText(stageName)}
        </Text>
        <ul className={`plain-list ${classes['signs']}`}>
          {seenKinds.map((kind) => (
            <li key={kind}>
              <span aria-hidden>
                <KindIcon kind={kind} />
              </span>{' '}
              {seenKindNames[kind]}
            </li>
          ))}
        </ul>
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

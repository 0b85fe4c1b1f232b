import { Button, Group, Kbd, Menu, Popover, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useRef } from 'react'
import classes from './filter-bar.module.css'
import { IconClose, IconDown, IconFilter } from './icons.ts'
import { requestCommand, useCommands } from './commands.ts'
import { Drawer } from './dialog.tsx'
import { labels } from './labels.ts'
import { useIsPhone } from './use-is-phone.ts'

interface FilterBarProps {
  /** A search input and filters. */
  readonly children: ReactNode
  /** How many entries remain, such as "14 of 300". */
  readonly count?: ReactNode
  /** Clears all filters. Absent: no filter is set. */
  readonly onClear?: (() => void) | undefined
  /** Controls of the view, at the right. */
  readonly tools?: ReactNode
}

/** Shows filters above what they filter. Their state is in the address. */
export function FilterBar({ children, count, onClear, tools }: FilterBarProps) {
  return (
    <div role="search" className={classes['bar']}>
      <div className={classes['filters']}>
        {children}
        {onClear && (
          <Button
            variant="subtle"
            color="gray"
            onClick={({ currentTarget }) => {
              onClear()
              currentTarget.closest('[role=search]')?.querySelector('input')?.focus()
            }}
          >
            {labels.clearFilters}
          </Button>
        )}
      </div>
      {count !== undefined && (
        <Text role="status" size="sm" c="dimmed" className={classes['count'] ?? ''}>
          {count}
        </Text>
      )}
      {tools && <div className={classes['tools']}>{tools}</div>}
    </div>
  )
}

interface FoldedFiltersProps {
  /** How many filters are set. */
  readonly count: number
  readonly children: ReactNode
}

/** Shows filters; on a phone, in a sheet that a button opens. */
export function FoldedFilters({ count, children }: FoldedFiltersProps) {
  const isPhone = useIsPhone()
  const [isOpen, { open, close }] = useDisclosure()
  if (!isPhone) return children
  return (
    <>
      <Button variant="default" leftSection={<IconFilter />} onClick={open}>
        {labels.filter(count)}
      </Button>
      <Drawer opened={isOpen} onClose={close} title={labels.filter(0)} position="bottom" size="auto">
        <div className={classes['folded']}>{children}</div>
        <Button fullWidth mt="md" onClick={close}>
          {labels.showFiltered}
        </Button>
      </Drawer>
    </>
  )
}

interface FilterProps {
  readonly label: string
  /** Values with their names. */
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  /**
   * Whether several options can be chosen.
   * @default false
   */
  readonly isMultiple?: boolean
}

/** Shows one filter as a chip, with its options in a menu. */
export function Filter({ label, options, chosen, onChange, isMultiple = false }: FilterProps) {
  const names = options.filter(({ value }) => chosen.includes(value)).map((option) => option.label)
  const isSet = names.length > 0
  return (
    <Group gap={0} wrap="nowrap" className={classes['chip']} data-set={isSet || undefined}>
      <Menu withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" className={classes['open']} rightSection={!isSet && <IconDown size={14} />}>
            {isSet ? labels.chosen(label, names) : label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes['options'] ?? ''}>
          {isMultiple ? (
            <Menu.CheckboxGroup value={[...chosen]} onChange={onChange}>
              {options.map((option) => (
                <Menu.CheckboxItem key={option.value} value={option.value}>
                  {option.label}
                </Menu.CheckboxItem>
              ))}
            </Menu.CheckboxGroup>
          ) : (
            <Menu.RadioGroup value={chosen[0] ?? ''} onChange={(value) => onChange([value])}>
              {options.map((option) => (
                <Menu.RadioItem key={option.value} value={option.value} closeMenuOnClick>
                  {option.label}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          )}
        </Menu.Dropdown>
      </Menu>
      {isSet && <ClearButton label={label} onClear={() => onChange([])} />}
    </Group>
  )
}

interface FieldsFilterProps {
  readonly label: string
  /** What the fields filter by, such as "since Nov 15". Absent: nothing. */
  readonly chosen: string | undefined
  readonly onClear: () => void
  /** Fields and choices. */
  readonly children: ReactNode
}

/** Shows one filter as a chip that opens its fields. */
export function FieldsFilter({ label, chosen, onClear, children }: FieldsFilterProps) {
  const isSet = chosen !== undefined
  return (
    <Group gap={0} wrap="nowrap" className={classes['chip']} data-set={isSet || undefined}>
      <Popover position="bottom-start" trapFocus returnFocus withinPortal={false}>
        <Popover.Target>
          <Button variant="default" className={classes['open']} rightSection={!isSet && <IconDown size={14} />}>
            {isSet ? labels.chosen(label, [chosen]) : label}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>{children}</Popover.Dropdown>
      </Popover>
      {isSet && <ClearButton label={label} onClear={onClear} />}
    </Group>
  )
}

interface ClearButtonProps {
  readonly label: string
  readonly onClear: () => void
}

function ClearButton({ label, onClear }: ClearButtonProps) {
  return (
    <Button variant="default" className={classes['clear']} aria-label={labels.clear(label)} onClick={onClear}>
      <IconClose size={14} />
    </Button>
  )
}

interface SearchInputProps {
  readonly label: string
  /** What a phone shows in its place, which has no room for it. */
  readonly shortLabel?: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Id of the command that moves to what was found. Absent: only the Tab key does. */
  readonly next?: string
}

/** Searches a page. The slash key focuses the input. Escape clears it, or leaves it once it is empty. The down arrow moves to what was found. */
export function SearchInput({ label, shortLabel = label, value, onChange, next }: SearchInputProps) {
  const isPhone = useIsPhone()
  const box = useRef<HTMLInputElement>(null)
  useCommands([{ label, keys: '/', isKeyOnly: true, run: () => box.current?.focus() }])
  return (
    <TextInput
      ref={box}
      className={classes['search']}
      type="search"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={isPhone ? shortLabel : label}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      maxLength={256}
      rightSection={value === '' && <Kbd className={classes['key']}>/</Kbd>}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value !== '') onChange('')
        else if (event.key === 'Escape') box.current?.blur()
        if (event.key !== 'ArrowDown' || next === undefined) return
        event.preventDefault()
        requestCommand(next)
      }}
    />
  )
}

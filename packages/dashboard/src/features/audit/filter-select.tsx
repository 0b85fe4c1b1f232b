import { NativeSelect } from '@mantine/core'
import { useFilterField } from './use-filter-field.ts'

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
export function FilterSelect({ label, all, choices, value = '', onChange }: FilterSelectProps) {
  const field = useFilterField<HTMLSelectElement>(value, onChange)
  const isKnown = value === '' || choices.some((choice) => choice.value === value)
  const data = [{ value: '', label: all }, ...choices, ...(isKnown ? [] : [{ value, label: value }])]
  return <NativeSelect {...field} label={label} data={data} size="sm" />
}

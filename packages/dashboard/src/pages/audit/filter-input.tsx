import { TextInput } from '@mantine/core'
import { useFilterField } from '../../hooks/use-filter-field.ts'

interface FilterInputProps {
  readonly label: string
  readonly type: 'text' | 'date'
  /** Undefined: everything. */
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

export function FilterInput({ label, type, value = '', onChange }: FilterInputProps) {
  const field = useFilterField<HTMLInputElement>(value, onChange)
  return <TextInput {...field} label={label} type={type} size="sm" autoComplete="off" spellCheck={false} />
}

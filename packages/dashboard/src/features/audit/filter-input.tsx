import { TextInput } from '@mantine/core'
import { useFilterField } from './use-filter-field.ts'

interface FilterInputProps {
  readonly label: string
  readonly type: 'text' | 'date'
  readonly placeholder?: string
  /** Undefined: everything. */
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

export function FilterInput({ value = '', onChange, ...input }: FilterInputProps) {
  const field = useFilterField<HTMLInputElement>(value, onChange)
  return <TextInput {...field} {...input} size="sm" autoComplete="off" spellCheck={false} />
}

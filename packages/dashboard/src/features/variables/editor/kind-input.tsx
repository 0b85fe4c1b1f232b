import { Input, SegmentedControl } from '@mantine/core'
import { kindNames, kinds } from '@rollkey/contract/rules'
import { useId } from 'react'
import type { Draft } from './draft.ts'

interface KindInputProps {
  readonly value: Draft['kind']
  readonly onChange: (kind: Draft['kind']) => void
}

const choices = kindNames.map((kind) => ({ value: kind, label: kinds[kind].label }))

export function KindInput({ value, onChange }: KindInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label="Kind" labelElement="div" labelProps={{ id }} size="md">
      <SegmentedControl fullWidth aria-labelledby={id} data={choices} value={value} onChange={onChange} />
    </Input.Wrapper>
  )
}

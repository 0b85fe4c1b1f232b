import { Input, SegmentedControl } from '@mantine/core'
import { useId } from 'react'
import type { Draft } from '../../variables/draft.ts'
import { kindNames } from '../../variables/words.ts'

interface KindInputProps {
  readonly value: Draft['kind']
  readonly onChange: (kind: Draft['kind']) => void
}

const kinds = [
  { value: 'secret', label: kindNames.secret },
  { value: 'ab_roll', label: kindNames.ab_roll },
] as const

export function KindInput({ value, onChange }: KindInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label="Kind" labelElement="div" labelProps={{ id }} size="md">
      <SegmentedControl fullWidth aria-labelledby={id} data={[...kinds]} value={value} onChange={onChange} />
    </Input.Wrapper>
  )
}

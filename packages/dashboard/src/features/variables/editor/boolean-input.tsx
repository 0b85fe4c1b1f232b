import { Input, SegmentedControl } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useId } from 'react'

interface BooleanInputProps extends GetInputPropsReturnType {
  readonly label: string
  /** By which the form finds it, to lead to what is wrong. */
  readonly 'data-path'?: string
  /** Whether the hidden value may stay as it is; an empty value stands for that. */
  readonly mayKeep: boolean
}

const both = ['true', 'false']

/** A choice of true and false, of which neither is preselected. */
export function BooleanInput({ label, mayKeep, value, error, onChange, ...props }: BooleanInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }} size="md" error={error}>
      <SegmentedControl
        className="focused-part"
        tabIndex={-1}
        data-path={props['data-path']}
        fullWidth
        aria-labelledby={id}
        data={mayKeep ? [{ value: '', label: 'Keep' }, ...both] : both}
        value={String(value)}
        onChange={onChange}
      />
    </Input.Wrapper>
  )
}

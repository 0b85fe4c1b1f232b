import { NativeSelect } from '@mantine/core'
import { declaredTypes } from '@rollkey/contract/rules'
import type { GetInputPropsReturnType } from '@mantine/form'
import { typeNames } from '../labels.ts'

const types = declaredTypes.map((type) => ({ value: type, label: typeNames[type] }))

interface TypeSelectProps extends GetInputPropsReturnType {
  readonly mayBeUndeclared: boolean
}

export function TypeSelect({ mayBeUndeclared, ...input }: TypeSelectProps) {
  return (
    <NativeSelect
      {...input}
      label="Type"
      description="What the service checks each value against, and what generated types say."
      data={mayBeUndeclared ? [{ value: '', label: 'not declared' }, ...types] : types}
    />
  )
}

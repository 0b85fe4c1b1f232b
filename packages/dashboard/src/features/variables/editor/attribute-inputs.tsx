import type { AttributeName } from '@rollkey/contract/rules'
import type { ComponentType } from 'react'
import { ChanceInput } from './chance-input.tsx'

interface AttributeInputProps {
  readonly value: number
  readonly onChange: (value: number) => void
}

/** The editor of each attribute. */
export const attributeInputs: Readonly<Record<AttributeName, ComponentType<AttributeInputProps>>> = {
  chance: ChanceInput,
}

import { Select, Textarea } from '@mantine/core'
import { exposures, limits, type AttributeName, type AttributeTypes, type Exposure } from '@rollkey/contract/rules'
import type { ReactNode } from 'react'
import { ChanceInput } from './chance-input.tsx'

interface InputProps<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

const exposureLabels: Readonly<Record<Exposure, string>> = {
  secret: 'Secret: each reveal is in the audit log',
  plain: 'Plain: people see the value',
  client: 'Client: people and client programs see the value',
}

function ExposureInput({ value, onChange }: InputProps<Exposure>) {
  const data = exposures.map((exposure) => ({ value: exposure, label: exposureLabels[exposure] }))
  return (
    <Select
      label="Exposure"
      data={data}
      value={value}
      onChange={(chosen) => onChange(chosen ?? value)}
      allowDeselect={false}
    />
  )
}

function DescriptionInput({ value, onChange }: InputProps<string>) {
  return (
    <Textarea
      label="Description"
      description="What the variable is for. It is not secret."
      maxLength={limits.descriptionCharacters}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
    />
  )
}

const inputs: { readonly [Name in AttributeName]: (props: InputProps<AttributeTypes[Name]>) => ReactNode } = {
  chance: ChanceInput,
  exposure: ExposureInput,
  description: DescriptionInput,
}

/** The editor of an attribute. */
export function AttributeInput<Name extends AttributeName>({
  name,
  ...props
}: InputProps<AttributeTypes[Name]> & { readonly name: Name }) {
  return inputs[name](props)
}

import { TextInput, type TextInputProps } from '@mantine/core'
import { memo, useId } from 'react'

/** A field for the name of a time zone. */
export function ZoneField(props: TextInputProps) {
  const zones = useId()
  return (
    <div>
      <TextInput {...props} list={zones} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <Zones id={zones} />
    </div>
  )
}

/** Suggests time zones. Not drawn again with each key. */
const Zones = memo(({ id }: { readonly id: string }) => (
  <datalist id={id}>
    {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
      <option key={zone}>{zone}</option>
    ))}
  </datalist>
))

import type { WriteEntry } from '@rollkey/contract'
import { kinds, valuesOf } from '@rollkey/contract/rules'
import { Stack, Text } from '@mantine/core'
import { capitalized } from '../labels.ts'
import { Command } from '../../../ui/command.tsx'

interface EntryValuesProps {
  readonly entry: WriteEntry
}

export function EntryValues({ entry }: EntryValuesProps) {
  const values = valuesOf(entry)
  return kinds[entry.kind].values.map(({ field, label }, at) => (
    <ShownValue key={field} label={capitalized(label)} text={values[at] ?? ''} />
  ))
}

interface ShownValueProps {
  readonly label: string
  readonly text: string
}

function ShownValue({ label, text }: ShownValueProps) {
  return (
    <Stack gap={4}>
      <Text fw={600}>{label}</Text>
      <Command what={label} text={text} />
    </Stack>
  )
}

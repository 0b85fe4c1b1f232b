import { Stack, Text } from '@mantine/core'
import { Command } from '../../../ui/command.tsx'

interface ShownValueProps {
  readonly label: string
  readonly text: string
}

export function ShownValue({ label, text }: ShownValueProps) {
  return (
    <Stack gap={4}>
      <Text fw={600}>{label}</Text>
      <Command what={label} text={text} />
    </Stack>
  )
}

import { Group, Stack, Text, Title } from '@mantine/core'

interface EffectListProps {
  readonly title: string
  readonly effects: readonly { readonly name: string; readonly words: string }[]
}

/** What something would do, by variable. */
export function EffectList({ title, effects }: EffectListProps) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {title}
      </Title>
      <Stack component="ul" className="plain-list wrapping" gap={4}>
        {effects.map(({ name, words }) => (
          <Group component="li" key={name} justify="space-between" gap="0 var(--mantine-spacing-md)">
            <bdi>{name}</bdi>
            <Text size="sm" c="dimmed">
              {words}
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}

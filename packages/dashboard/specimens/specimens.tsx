import { Button, Group, Stack, Title, useMantineColorScheme } from '@mantine/core'
import { Logo } from '../src/ui/logo.tsx'
import { Feedback } from './feedback.tsx'
import { Lists } from './lists.tsx'
import { Numbers } from './numbers.tsx'
import { Tokens } from './tokens.tsx'
import { Variables } from './variables.tsx'

export function Specimens() {
  const { toggleColorScheme } = useMantineColorScheme()
  return (
    <Stack component="main" gap="xl" maw={1200} mx="auto" p="lg">
      <Group justify="space-between">
        <Group gap="xs">
          <Logo />
          <Title order={1}>Specimens</Title>
        </Group>
        <Button variant="default" onClick={toggleColorScheme}>
          Toggle color scheme
        </Button>
      </Group>
      <Tokens />
      <Variables />
      <Lists />
      <Numbers />
      <Feedback />
    </Stack>
  )
}

import { Box, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import * as icons from '../src/ui/icons.ts'
import { Logo } from '../src/ui/logo.tsx'
import { colors, textOnColor, variableName } from '../src/ui/tokens.ts'
import { Specimen } from './specimen.tsx'

const markSizes = [16, 24, 32, 64]

/** Colors, type, the mark and the icons. */
export function Tokens() {
  return (
    <>
      <Specimen title="Colors">
        <SimpleGrid cols={{ base: 2, sm: 4, md: 6 }} spacing="sm">
          {Object.keys(colors).map((token) => (
            <Stack key={token} gap={4}>
              <Box h={32} bd="1px solid var(--border)" bdrs="md" bg={`var(${variableName(token)})`} />
              <Text size="xs" ff="monospace">
                {token}
              </Text>
            </Stack>
          ))}
        </SimpleGrid>
      </Specimen>
      <Specimen title="Text on color">
        <Group gap="xs">
          {Object.entries(textOnColor).flatMap(([text, grounds]) =>
            grounds.map((ground) => (
              <Box
                key={text + ground}
                px="xs"
                py={4}
                bdrs="md"
                fz="sm"
                c={`var(${variableName(text)})`}
                bg={`var(${variableName(ground)})`}
              >
                {text} on {ground}
              </Box>
            )),
          )}
        </Group>
      </Specimen>
      <TypeAndMark />
      <Icons />
    </>
  )
}

function TypeAndMark() {
  return (
    <>
      <Specimen title="Type">
        <Title order={3} size="h1">
          Heading 24 of a page
        </Title>
        <Title order={3} size="h2">
          Heading 20 of a dialog
        </Title>
        <Title order={3}>Heading 16 of a section</Title>
        <Text>Body 14: Secrets and feature variables, by project and stage. 1,234,567 · 0.50 · 11:11</Text>
        <Text size="sm" c="dimmed">
          Small 13, muted: changed by Ada Lovelace, 3 hours ago
        </Text>
        <Text className="mono">Monospace: DATABASE_URL web-shop/prod O0 Il1</Text>
      </Specimen>
      <Specimen title="Mark">
        <Group>
          {markSizes.map((size) => (
            <Logo key={size} size={size} />
          ))}
        </Group>
      </Specimen>
      <Specimen title="Buttons">
        <Group>
          <Button>Save to dev</Button>
          <Button variant="default">Discard</Button>
          <Button variant="subtle" color="gray">
            Cancel
          </Button>
          <Button color="red">Delete project</Button>
          <Button disabled>Save</Button>
          <Button loading>Save</Button>
          <Button size="xs" variant="default">
            Reveal
          </Button>
        </Group>
      </Specimen>
    </>
  )
}

function Icons() {
  return (
    <Specimen title="Icons">
      <SimpleGrid cols={{ base: 3, sm: 6, md: 8 }} spacing="sm">
        {Object.entries(icons).map(([name, Icon]) => (
          <Group key={name} gap={6} wrap="nowrap">
            <Icon />
            <Text size="xs">{name.slice('Icon'.length)}</Text>
          </Group>
        ))}
      </SimpleGrid>
    </Specimen>
  )
}

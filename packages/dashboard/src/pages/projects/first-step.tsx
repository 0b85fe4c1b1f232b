import { Text } from '@mantine/core'
import { Command } from '../../components/command.tsx'
import { Section } from '../../components/section.tsx'
import { useSettings } from '../../hooks/use-settings.ts'

/** What to do where there is no project yet. */
export function FirstStep() {
  const { publicUrl } = useSettings()
  const commands = [
    `npx rollkey login --url ${publicUrl}`,
    `npx rollkey init --url ${publicUrl} --project shop --stage dev`,
    'npx rollkey set DATABASE_URL',
  ]
  return (
    <Section title="There is no project yet">
      <Text>
        Create one above. Or set a variable from a terminal: its project and stage come into being with it. The value is
        asked for without being shown.
      </Text>
      <Command what="the commands that set the first variable" text={commands.join('\n')} />
    </Section>
  )
}

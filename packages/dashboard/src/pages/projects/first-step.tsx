import { Text } from '@mantine/core'
import { Command } from '../../components/command.tsx'
import { Section } from '../../components/section.tsx'

const command = 'npx rollkey login\nnpx rollkey set DATABASE_URL --project shop --stage dev'

/** What to do where there is no project yet. */
export function FirstStep() {
  return (
    <Section title="There is no project yet">
      <Text>
        Create one above. Or set a variable from a terminal: its project and stage come into being with it. The value is
        asked for without being shown.
      </Text>
      <Command what="the commands that set the first variable" text={command} />
    </Section>
  )
}

import { Text } from '@mantine/core'
import { RollkeyDownload } from '../../ui/rollkey-command.tsx'
import { Section } from '../../ui/section.tsx'
import { useSettings } from '../../session/use-settings.ts'

/** What to do where there is no project yet. */
export function FirstStep() {
  const { publicUrl } = useSettings()
  const commands = [
    `login --url ${publicUrl}`,
    `init --url ${publicUrl} --project shop --stage dev`,
    'set DATABASE_URL --create',
  ]
  return (
    <Section title="There is no project yet">
      <Text>
        Create one above. Or set a variable from a terminal: its project and stage come into being with it. The value is
        asked for without being shown.
      </Text>
      <RollkeyDownload what="the commands that set the first variable" lines={commands} />
    </Section>
  )
}

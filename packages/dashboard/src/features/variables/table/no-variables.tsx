import { Text } from '@mantine/core'
import { RollkeyCommand } from '../../../ui/rollkey-command.tsx'
import { Section } from '../../../ui/section.tsx'
import { useSettings } from '../../../session/use-settings.ts'

interface NoVariablesProps {
  readonly projectSlug: string
  readonly stageSlug: string | undefined
}

/** What to do where a project is empty. */
export function NoVariables({ projectSlug, stageSlug = 'dev' }: NoVariablesProps) {
  const { publicUrl } = useSettings()
  return (
    <Section title="There is no variable yet">
      <Text>
        Create a stage and a variable above. Or bring a whole .env file from a terminal that is logged in; that makes
        the stage, too.
      </Text>
      <RollkeyCommand
        what="the command that imports a file"
        lines={[`import .env --create --url ${publicUrl} --project ${projectSlug} --stage ${stageSlug}`]}
      />
    </Section>
  )
}

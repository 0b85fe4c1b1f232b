import { Text } from '@mantine/core'
import { RollkeyDownload } from '../../ui/rollkey-command.tsx'
import { Section } from '../../ui/section.tsx'
import { useSettings } from '../../session/use-settings.ts'

interface NoSessionsProps {
  readonly everyone: boolean
}

export function NoSessions({ everyone }: NoSessionsProps) {
  const { publicUrl } = useSettings()
  return (
    <Section title={everyone ? 'Nobody is logged in on a command line' : 'You are not logged in on a command line'}>
      <Text>Log in from a terminal; the session is here a moment later.</Text>
      <RollkeyDownload what="the command that logs in" lines={[`login --url ${publicUrl}`]} />
    </Section>
  )
}

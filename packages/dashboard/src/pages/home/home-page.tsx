import { Code, Group, Stack, Text } from '@mantine/core'
import { ButtonLink } from '../../components/button-link.tsx'
import { Command } from '../../components/command.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { useSettings } from '../../hooks/use-settings.ts'
import { useViewer } from '../../hooks/viewer-context.ts'
import { pollCommand, startCommand } from './commands.ts'
import { WhoAmI } from './who-am-i.tsx'

export function HomePage() {
  const { publicUrl, provider } = useSettings()
  const viewer = useViewer()
  return (
    <Page title="Home" lead={<WhoAmI viewer={viewer} />}>
      <Stack gap="lg">
        <Section title="1. Start the login of a command-line client">
          <Text>It answers with a user code for you and a device code for the client.</Text>
          <Command what="the command that starts a login" text={startCommand(publicUrl)} />
        </Section>
        <Section title="2. Approve it here">
          <Text>
            Enter the user code, then approve. After that, the client gets its tokens with its device code, in place of{' '}
            <Code>DEVICE_CODE</Code>.
          </Text>
          <Group>
            <ButtonLink to="/device">Enter a code</ButtonLink>
          </Group>
          <Command what="the command that gets the tokens" text={pollCommand(publicUrl)} />
        </Section>
        <Section title="3. Bring your team in">
          <Text>
            {provider === 'embedded'
              ? 'Invite people by a link that you hand to them.'
              : 'People are added at your identity provider; whoever signs in there can use this organization.'}
          </Text>
          <Group>
            <ButtonLink to="/members" variant="default">
              Go to members
            </ButtonLink>
          </Group>
        </Section>
      </Stack>
    </Page>
  )
}

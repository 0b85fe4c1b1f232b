import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { manages } from '../../lib/roles.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { RollkeyDownload } from '../../ui/rollkey-command.tsx'
import { Section } from '../../ui/section.tsx'
import { useScope } from '../../session/use-scope.ts'
import { useSettings } from '../../session/use-settings.ts'
import { useViewer } from '../../session/viewer-context.ts'
import { whoamiQuery } from '../../session/whoami.ts'
import type { Viewer } from '../../session/viewer.ts'

export function HomePage() {
  const { publicUrl, provider } = useSettings()
  const viewer = useViewer()
  const { data: self } = useQuery(whoamiQuery(useScope()))
  const mayInvite = provider === 'outside' || (self?.role !== undefined && manages(self.role))
  return (
    <Page title="Home" lead={<WhoAmI viewer={viewer} />}>
      <Stack gap="lg">
        <Section title="1. Connect your machine">
          <Text>The command line shows a code, which you approve in the browser.</Text>
          <RollkeyDownload what="the command that logs in" lines={[`login --url ${publicUrl}`]} />
          <Group>
            <ButtonLink to="/device" variant="default">
              Enter a code
            </ButtonLink>
          </Group>
        </Section>
        <Section title="2. Keep your first variable">
          <Text>In a project, each variable has a value of its own in every stage, such as dev and prod.</Text>
          <Group>
            <ButtonLink from="/o/$orgSlug" to="./projects">
              Go to projects
            </ButtonLink>
          </Group>
        </Section>
        {mayInvite && (
          <Section title="3. Bring your team in">
            <Text>
              {provider === 'embedded'
                ? 'Invite people by a link that you hand to them.'
                : 'People are added at your identity provider; whoever signs in there can use this organization.'}
            </Text>
            <Group>
              <ButtonLink from="/o/$orgSlug" to="./members" variant="default">
                Go to members
              </ButtonLink>
            </Group>
          </Section>
        )}
      </Stack>
    </Page>
  )
}

interface WhoAmIProps {
  readonly viewer: Viewer
}

function WhoAmI({ viewer }: WhoAmIProps) {
  const { organization } = useScope()
  if (viewer.provider === 'outside') {
    return viewer.name === undefined
      ? 'You are signed in by your identity provider.'
      : `You are signed in as ${viewer.name}, by your identity provider.`
  }
  const { name, email } = viewer
  return (
    <span className="wrapping">
      You are signed in as {name} ({email}) and act in the organization <strong>{organization?.name}</strong> (slug:{' '}
      {organization?.slug}).
    </span>
  )
}

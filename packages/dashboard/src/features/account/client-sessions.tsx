import { Group } from '@mantine/core'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Section } from '../../ui/section.tsx'

/** The way to them: they belong to an organization. */
export function ClientSessions() {
  return (
    <Section title="Command-line sessions">
      <Group>
        <ButtonLink from="/o/$orgSlug" to="./organization/sessions" variant="default">
          See where you are logged in
        </ButtonLink>
      </Group>
    </Section>
  )
}

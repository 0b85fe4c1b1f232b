import { Divider, Stack, Title } from '@mantine/core'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useActivateOrganization } from './use-activate-organization.ts'
import { useReturnPath } from '../../session/use-return-path.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { NewOrganizationForm } from './new-organization-form.tsx'
import { OrganizationButton } from './organization-button.tsx'

interface OrganizationChoiceProps {
  readonly viewer: EmbeddedViewer
}

export function OrganizationChoice({ viewer: { organization: active, organizations } }: OrganizationChoiceProps) {
  const path = useReturnPath()
  const activate = useActivateOrganization(path)
  const lead =
    organizations.length > 0
      ? 'Choose the organization to act in, or create another one.'
      : 'You are in no organization yet. Open the invitation link that you were given, or create an organization.'
  return (
    <Page title="Organizations" lead={lead}>
      {organizations.length > 0 && (
        <Stack component="ul" className="plain-list" gap="xs">
          {organizations.map((organization) => (
            <OrganizationButton
              key={organization.id}
              organization={organization}
              isActive={organization === active}
              onChoose={() => activate.mutate(organization.id)}
            />
          ))}
        </Stack>
      )}
      <ProblemNotice error={activate.error} />
      <Divider />
      <Title order={2} size="h4">
        Create an organization
      </Title>
      <NewOrganizationForm path={path} />
    </Page>
  )
}

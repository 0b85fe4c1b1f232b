import { Badge, Button, Divider, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useForm } from '@mantine/form'
import { useViewer } from '../../session/viewer-context.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { IconRight } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useReturnPath } from '../../session/use-return-path.ts'
import type { EmbeddedViewer, Organization } from '../../session/viewer.ts'
import { identity, unwrap } from '../../session/client.ts'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { required, slug } from '../../lib/validation.ts'
import { SlugFields } from '../../ui/slug-fields.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { labels } from './labels.ts'

export function OrganizationsPage() {
  const viewer = useViewer()
  if (viewer.provider === 'embedded') return <OrganizationChoice viewer={viewer} />
  return (
    <Page title={labels.title} lead={labels.external}>
      <ButtonLink to="/">{labels.goHome}</ButtonLink>
    </Page>
  )
}

interface OrganizationChoiceProps {
  readonly viewer: EmbeddedViewer
}

function OrganizationChoice({ viewer: { organization: active, organizations } }: OrganizationChoiceProps) {
  const path = useReturnPath()
  const activate = useActivateOrganization(path)
  const lead = organizations.length > 0 ? labels.choose : labels.none
  return (
    <Page title={labels.title} lead={lead}>
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
      <ErrorNotice error={activate.error} />
      <Divider />
      <Title order={2} size="h4">
        {labels.createTitle}
      </Title>
      <NewOrganizationForm path={path} />
    </Page>
  )
}

/** Changes the active organization, and goes to `path` if there is one. */
function useActivateOrganization(path?: string) {
  const viewerChanged = useViewerChange()
  return useMutation({
    mutationFn: (organizationId: string) => unwrap(identity.organization.setActive({ organizationId })),
    onSuccess: () => viewerChanged(path),
  })
}

interface OrganizationButtonProps {
  readonly organization: Organization
  readonly isActive: boolean
  readonly onChoose: () => void
}

function OrganizationButton({ organization, isActive, onChoose }: OrganizationButtonProps) {
  return (
    <li>
      <Button
        variant="default"
        size="md"
        fullWidth
        justify="space-between"
        leftSection={<Avatar name={organization.name} />}
        rightSection={isActive ? <Badge>{labels.active}</Badge> : <IconRight size={16} />}
        onClick={onChoose}
      >
        <Text component="span" truncate>
          {organization.name}
        </Text>
      </Button>
    </li>
  )
}

interface NewOrganizationFormProps {
  /** The path to go to afterwards. */
  readonly path: string
}

function NewOrganizationForm({ path }: NewOrganizationFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues: { organizationName: '', organizationSlug: '' },
    validate: { organizationName: required(labels.nameMissing), organizationSlug: slug },
  })
  const create = useMutation({
    mutationFn: (values: typeof form.values) =>
      unwrap(identity.organization.create({ name: values.organizationName.trim(), slug: values.organizationSlug })),
    onSuccess: () => viewerChanged(path),
  })
  return (
    <SubmitForm form={form} mutation={create} label={labels.create}>
      <SlugFields
        what="Organization"
        name={form.getInputProps('organizationName')}
        slug={form.getInputProps('organizationSlug')}
      />
    </SubmitForm>
  )
}

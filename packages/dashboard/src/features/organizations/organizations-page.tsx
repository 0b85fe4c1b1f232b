import { Badge, Button, Divider, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useForm } from '@mantine/form'
import { useLocation } from '@tanstack/react-router'
import {
  type EmbeddedViewer,
  type ExternalViewer,
  type Organization,
  useViewer,
  useViewerChange,
} from '../../session/viewer.ts'
import { BusyButton, ButtonLink } from '../../ui/buttons.tsx'
import { Avatar } from '../../ui/name.tsx'
import { IconRight } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { useReturnPath } from '../../session/return-path.ts'
import { identity, unwrap } from '../../session/identity.ts'
import { required, slug } from '../../lib/validation.ts'
import { SlugFields, SubmitForm } from '../../ui/form.tsx'
import { startExternalSignIn } from '../../session/external-sign-in.ts'
import { toast } from '../../ui/toast.tsx'
import { CompanyNote } from '../../parts/sign-in/company.tsx'
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
      <CompanyNote />
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
      <Stack gap="sm">
        <Title order={2} size="h4">
          {labels.createTitle}
        </Title>
        <NewOrganizationForm path={path} />
      </Stack>
    </Page>
  )
}

/** Returns the mutation that changes the active organization. `path`: the page to open afterwards. */
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
        justify="flex-start"
        styles={{ label: { flex: 1 } }}
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
    onSuccess: async (_, { organizationName }) => {
      await viewerChanged(path)
      toast.success(labels.created(organizationName.trim()))
    },
  })
  return (
    <SubmitForm form={form} mutation={create} label={labels.create}>
      <SlugFields
        what="organization"
        name={form.getInputProps('organizationName')}
        slug={form.getInputProps('organizationSlug')}
      />
    </SubmitForm>
  )
}

interface OtherSignInProps {
  readonly orgSlug: string
  readonly viewer: ExternalViewer
}

/** Shows that the identity provider signed the viewer in to another organization than that of the address. */
export function OtherSignIn({ orgSlug, viewer: { organization } }: OtherSignInProps) {
  const href = useLocation({ select: (location) => location.href })
  const start = useMutation({ mutationFn: () => startExternalSignIn(href) })
  return (
    <Page title={labels.otherSignIn.title(organization.slug)} lead={labels.otherSignIn.text(orgSlug)}>
      <ErrorNotice error={start.error} />
      <BusyButton isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        {labels.otherSignIn.signIn}
      </BusyButton>
      <ButtonLink to="/o/$orgSlug" params={{ orgSlug: organization.slug }} variant="default">
        {labels.otherSignIn.goTo(organization.slug)}
      </ButtonLink>
    </Page>
  )
}

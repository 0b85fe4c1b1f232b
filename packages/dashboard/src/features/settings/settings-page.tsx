import { Button, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { bytesText, countText } from '../../lib/numbers.ts'
import { required } from '../../lib/validation.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { type Organization, useViewerChange } from '../../session/viewer.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Name } from '../../ui/name.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { SubmitForm } from '../../ui/form.tsx'
import { TextLink } from '../../ui/buttons.tsx'
import { toast } from '../../ui/toast.tsx'
import { DefaultRoleField } from './default-role.tsx'
import { labels } from './labels.ts'
import {
  deleteOrganization,
  type OrganizationSettings,
  organizationSettingsQuery,
  renameOrganization,
  setCreatesOnWrite,
} from '../../data/organization.ts'

export function SettingsPage() {
  return (
    <Page title={labels.title} lead={labels.lead}>
      <QueryPart query={useQuery(whoamiQuery(useScope()))} rows={10}>
        {() => <Settings />}
      </QueryPart>
    </Page>
  )
}

function Settings() {
  const scope = useScope()
  const mayChange = useMay()('manage')
  return (
    <>
      <Section title={labels.general.title}>
        <General mayChange={mayChange} />
      </Section>
      <QueryPart query={useQuery(organizationSettingsQuery(scope))} rows={8}>
        {({ createsOnWrite, defaultRole, plan }) => (
          <>
            <Section title={labels.defaultRole.title}>
              <DefaultRoleField defaultRole={defaultRole} mayChange={mayChange} />
            </Section>
            <Section title={labels.creation.title}>
              <CreatesOnWrite createsOnWrite={createsOnWrite} mayChange={mayChange} />
            </Section>
            <PlanSection plan={plan} />
          </>
        )}
      </QueryPart>
      <DeletionSection />
    </>
  )
}

interface GeneralProps {
  readonly mayChange: boolean
}

function General({ mayChange }: GeneralProps) {
  const { orgSlug, organization } = useScope()
  return (
    <>
      {organization && mayChange && <NameForm key={organization.name} organization={organization} />}
      <DescriptionList
        facts={{
          [labels.general.name]: mayChange ? undefined : organization?.name,
          [labels.general.slug]: (
            <>
              <Name isCopyable>{orgSlug}</Name>
              <Text size="sm" c="dimmed">
                {labels.general.slugUse}
              </Text>
            </>
          ),
        }}
      />
      {!organization && <Text c="dimmed">{labels.general.external}</Text>}
      {!mayChange && <Text c="dimmed">{labels.general.onlyManagers}</Text>}
    </>
  )
}

interface NameFormProps {
  readonly organization: Organization
}

function NameForm({ organization: { id, name } }: NameFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({ initialValues: { name }, validate: { name: required(labels.general.nameMissing) } })
  const rename = useMutation({
    mutationFn: (values: typeof form.values) => renameOrganization(id, values.name.trim()),
    onSuccess: async (_, values) => {
      const newName = values.name.trim()
      await viewerChanged()
      form.resetDirty({ name: newName })
      toast.success(labels.general.done(name, newName), {
        undo: async () => {
          await renameOrganization(id, name)
          await viewerChanged()
          form.setValues({ name })
          form.resetDirty({ name })
          return labels.general.done(newName, name)
        },
        redo: async () => {
          await renameOrganization(id, newName)
          await viewerChanged()
          form.setValues({ name: newName })
          form.resetDirty({ name: newName })
        },
      })
    },
  })
  return (
    <SubmitForm form={form} mutation={rename} label={labels.general.submit} isIncomplete={!form.isDirty()}>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.general.name}
        description={labels.general.nameUse}
        autoComplete="off"
        required
      />
    </SubmitForm>
  )
}

interface CreatesOnWriteProps {
  readonly createsOnWrite: boolean
  readonly mayChange: boolean
}

function CreatesOnWrite({ createsOnWrite, mayChange }: CreatesOnWriteProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const set = async (creates: boolean): Promise<void> => {
    await setCreatesOnWrite(scope, creates)
    await queryClient.invalidateQueries(organizationSettingsQuery(scope))
  }
  const change = useMutation({
    mutationFn: set,
    onSuccess: (_, creates) => {
      toast.success(labels.creation.done(creates), {
        undo: async () => {
          await set(!creates)
          return labels.creation.done(!creates)
        },
        redo: () => set(creates),
      })
    },
  })
  const isOn = change.isPending ? change.variables : createsOnWrite
  return (
    <>
      <Switch
        label={labels.creation.switch}
        checked={isOn}
        disabled={!mayChange}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Text role="status" c="dimmed">
        {isOn ? labels.creation.on : labels.creation.off}
      </Text>
      <ErrorNotice error={change.error} />
    </>
  )
}

interface PlanSectionProps {
  readonly plan: OrganizationSettings['plan']
}

function PlanSection({ plan: { name, evaluationsPerMonth, storageBytes } }: PlanSectionProps) {
  const { orgSlug } = useScope()
  return (
    <Section
      title={name === 'unlimited' ? labels.plan.limitsTitle : labels.plan.title}
      actions={
        <TextLink to="/o/$orgSlug/usage" params={{ orgSlug }} size="sm">
          {labels.plan.usage}
        </TextLink>
      }
    >
      <DescriptionList
        facts={{
          ...(name !== 'unlimited' && { [labels.plan.name]: labels.plan.names[name] }),
          [labels.plan.evaluations]:
            evaluationsPerMonth === undefined ? labels.plan.unlimited : countText(evaluationsPerMonth),
          [labels.plan.storage]: storageBytes === undefined ? labels.plan.unlimited : bytesText(storageBytes),
        }}
      />
    </Section>
  )
}

/** The way to delete the organization, for its owners. */
function DeletionSection() {
  const scope = useScope()
  const { data: whoami } = useQuery(whoamiQuery(scope))
  const [isAsking, { open, close }] = useDisclosure()
  const viewerChanged = useViewerChange()
  const name = scope.organization?.name ?? scope.orgSlug
  const deletion = useMutation<void>({
    mutationFn: () => deleteOrganization(scope),
    onSuccess: async () => {
      await viewerChanged('/')
      toast.success(labels.deletion.done(name))
    },
  })
  if (whoami?.role !== 'owner') return null
  return (
    <Section title={labels.deletion.title} lead={labels.deletion.text}>
      <div>
        <Button variant="outline" color="red" onClick={open}>
          {labels.deletion.button}
        </Button>
      </div>
      <ConfirmDialog
        title={labels.deletion.question(name)}
        label={labels.deletion.confirm(name)}
        typed={scope.orgSlug}
        mutation={deletion}
        opened={isAsking}
        onClose={close}
      >
        {labels.deletion.text} {labels.deletion.kept}
      </ConfirmDialog>
    </Section>
  )
}

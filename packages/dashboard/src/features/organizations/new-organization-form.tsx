import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { required, slug } from '../../lib/validation.ts'
import { SlugFields } from '../../ui/slug-fields.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { identity, unwrap } from '../../session/client.ts'

interface NewOrganizationFormProps {
  /** Where to go afterwards. */
  readonly path: string
}

export function NewOrganizationForm({ path }: NewOrganizationFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues: { organizationName: '', organizationSlug: '' },
    validate: { organizationName: required('a name'), organizationSlug: slug },
  })
  const create = useMutation({
    mutationFn: (values: typeof form.values) =>
      unwrap(identity.organization.create({ name: values.organizationName.trim(), slug: values.organizationSlug })),
    onSuccess: () => viewerChanged(path),
  })
  return (
    <SubmitForm form={form} mutation={create} label="Create organization">
      <SlugFields
        what="Organization"
        name={form.getInputProps('organizationName')}
        slug={form.getInputProps('organizationSlug')}
      />
    </SubmitForm>
  )
}

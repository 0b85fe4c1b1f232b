import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { required } from '../../base/validation.ts'
import { Notice } from '../../components/notice.tsx'
import { SubmitForm } from '../../components/submit-form.tsx'
import { useViewerChange } from '../../hooks/use-viewer-change.ts'
import { identity, unwrap } from '../../identity/client.ts'

interface NameFormProps {
  readonly name: string
}

export function NameForm({ name }: NameFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({ initialValues: { name }, validate: { name: required('your name') } })
  const change = useMutation({
    mutationFn: (values: typeof form.values) => unwrap(identity.updateUser({ name: values.name.trim() })),
    onSuccess: () => viewerChanged(),
  })
  return (
    <SubmitForm form={form} mutation={change} label="Save name">
      <TextInput {...form.getInputProps('name')} label="Your name" autoComplete="name" required />
      {change.isSuccess && <Notice kind="success">Your name is saved.</Notice>}
    </SubmitForm>
  )
}

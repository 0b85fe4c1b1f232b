import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { required } from '../../lib/validation.ts'
import { Notice } from '../../ui/notice.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { identity, unwrap } from '../../session/client.ts'

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

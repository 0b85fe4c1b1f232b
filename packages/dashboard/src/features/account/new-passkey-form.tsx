import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { required } from '../../lib/validation.ts'
import { ConfirmationDialog } from './confirm-identity-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { addPasskey, passkeysQuery } from './passkeys-client.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { needsConfirmation } from '../../service/problem.ts'

interface NewPasskeyFormProps {
  readonly viewer: EmbeddedViewer
}

export function NewPasskeyForm({ viewer }: NewPasskeyFormProps) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { name: '' }, validate: { name: required('a name for the passkey') } })
  const add = useMutation({
    mutationFn: ({ name }: typeof form.values) => addPasskey(name.trim()),
    onSuccess: async () => {
      form.reset()
      await queryClient.invalidateQueries(passkeysQuery(viewer.userId))
    },
  })
  return (
    <>
      <SubmitForm form={form} mutation={add} label="Add passkey">
        <TextInput
          {...form.getInputProps('name')}
          label="Name of the new passkey"
          description="By which you recognize it, such as the device it is on"
          autoComplete="off"
          required
        />
        {add.isSuccess && <Notice kind="success">The passkey is added.</Notice>}
      </SubmitForm>
      <ConfirmationDialog
        viewer={viewer}
        opened={needsConfirmation(add.error)}
        onClose={() => add.reset()}
        onConfirmed={() => add.mutate(form.getValues())}
      />
    </>
  )
}

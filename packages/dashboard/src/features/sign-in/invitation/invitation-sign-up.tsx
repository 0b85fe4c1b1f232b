import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { newPassword, required } from '../../../lib/validation.ts'
import { NewPasswordInput } from '../../../ui/new-password-input.tsx'
import { SubmitForm } from '../../../ui/submit-form.tsx'
import { useViewerChange } from '../../../session/use-viewer-change.ts'
import { acceptInvitation, signUpByInvitation } from '../../members/links.ts'

interface InvitationSignUpProps {
  readonly id: string
  readonly email: string
}

/** Creates the account of the invited person, which accepts the invitation. */
export function InvitationSignUp({ id, email }: InvitationSignUpProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: { name: required('your name'), password: newPassword },
  })
  const signUp = useMutation({
    mutationFn: async (values: typeof form.values) => {
      await signUpByInvitation({ id, ...values })
      await acceptInvitation(id)
    },
    onSuccess: () => viewerChanged('/'),
    // The account may be there by now: then the page offers to accept.
    onError: () => viewerChanged(),
  })
  return (
    <>
      <Text>Create your account to accept the invitation.</Text>
      <SubmitForm form={form} mutation={signUp} label="Create account and join">
        <TextInput label="Email" type="email" value={email} autoComplete="username" readOnly />
        <TextInput {...form.getInputProps('name')} label="Your name" autoComplete="name" required />
        <NewPasswordInput {...form.getInputProps('password')} />
      </SubmitForm>
    </>
  )
}

import { Anchor, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { mailResetLink } from '../../data/links.ts'
import { email } from '../../lib/validation.ts'
import { labels as signInLabels } from '../../parts/sign-in/labels.ts'
import { SubmitForm } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

/** Asks for the address to which a link goes that sets a new password. */
export function ForgottenPassword() {
  const [isOpen, setIsOpen] = useState(false)
  const form = useForm({ initialValues: { email: '' }, validate: { email } })
  const send = useMutation({ mutationFn: (values: typeof form.values) => mailResetLink(values.email.trim()) })
  if (send.isSuccess) return <Notice kind="success">{labels.forgotten.sent}</Notice>
  if (!isOpen) {
    return (
      <Anchor component="button" type="button" size="sm" ta="start" onClick={() => setIsOpen(true)}>
        {labels.forgotten.open}
      </Anchor>
    )
  }
  return (
    <SubmitForm form={form} mutation={send} label={labels.forgotten.submit} isSecondary>
      <TextInput
        {...form.getInputProps('email')}
        label={signInLabels.fields.email}
        type="email"
        autoComplete="username"
        data-autofocus
        required
      />
    </SubmitForm>
  )
}

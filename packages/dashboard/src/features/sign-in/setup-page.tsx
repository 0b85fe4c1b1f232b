import { Code, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { useLinkParameter } from '../../session/use-link-parameter.ts'
import { email, newPassword, required, slug } from '../../lib/validation.ts'
import { NewPasswordInput } from '../../ui/new-password-input.tsx'
import { SlugFields } from '../../ui/slug-fields.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { setUp } from '../members/links.ts'
import { hasCode } from '../../service/errors.ts'
import { labels } from './labels.ts'

export function SetupPage() {
  const token = useLinkParameter('token')
  if (token === undefined) {
    return (
      <Page title={labels.setup.title}>
        <Notice kind="warning" title={labels.setup.missingTitle}>
          {labels.setup.missing} {labels.setup.newLink} <Code>{labels.setup.command}</Code>
        </Notice>
        <Text size="sm">
          {labels.setup.isDone} <TextLink to="/sign-in">{labels.signIn.title}</TextLink>
        </Text>
      </Page>
    )
  }
  return (
    <Page title={labels.setup.title} lead={labels.setup.lead}>
      <SetupForm token={token} />
    </Page>
  )
}

interface SetupFormProps {
  readonly token: string
}

const initialValues = { name: '', email: '', password: '', organizationName: '', organizationSlug: '' }

function SetupForm({ token }: SetupFormProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues,
    validate: {
      name: required(labels.fields.nameMissing),
      email,
      password: newPassword,
      organizationName: required(labels.fields.organizationMissing),
      organizationSlug: slug,
    },
  })
  const create = useMutation({
    mutationFn: (values: typeof initialValues) => setUp({ token, ...values, email: values.email.trim() }),
    onSuccess: () => viewerChanged('/'),
  })
  if (hasCode(create.error, 'LINK_NOT_VALID')) {
    return (
      <Notice kind="error" title={labels.setup.overTitle}>
        {labels.setup.newLink} <Code>{labels.setup.command}</Code>
      </Notice>
    )
  }
  return (
    <SubmitForm form={form} mutation={create} label={labels.setup.submit}>
      <TextInput {...form.getInputProps('name')} label={labels.fields.name} autoComplete="name" required />
      <TextInput
        {...form.getInputProps('email')}
        label={labels.fields.email}
        type="email"
        autoComplete="username"
        required
      />
      <NewPasswordInput {...form.getInputProps('password')} />
      <SlugFields
        what="Organization"
        name={form.getInputProps('organizationName')}
        slug={form.getInputProps('organizationSlug')}
      />
    </SubmitForm>
  )
}

import { Code, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { useLinkParameter } from '../../../session/use-link-parameter.ts'
import { email, newPassword, required, slug } from '../../../lib/validation.ts'
import { NewPasswordInput } from '../../../ui/new-password-input.tsx'
import { SlugFields } from '../../../ui/slug-fields.tsx'
import { SubmitForm } from '../../../ui/submit-form.tsx'
import { useViewerChange } from '../../../session/use-viewer-change.ts'
import { setUp } from '../../members/links.ts'
import { Problem } from '../../../service/problem.ts'

export function SetupPage() {
  const token = useLinkParameter('token')
  if (token === undefined) {
    return (
      <Page title="Set up Rollkey">
        <Notice kind="warning" title="The set-up link is missing">
          Open the whole link that Rollkey printed at its start. For a new one, restart Rollkey, or run{' '}
          <Code>npx rollkey-server setup-link</Code> on its machine.
        </Notice>
        <Text size="sm">
          Is Rollkey set up already? <TextLink to="/sign-in">Sign in</TextLink>
        </Text>
      </Page>
    )
  }
  return (
    <Page title="Set up Rollkey" lead="Create the first account and its organization. You will be its owner.">
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
      name: required('your name'),
      email,
      password: newPassword,
      organizationName: required('a name'),
      organizationSlug: slug,
    },
  })
  const create = useMutation({
    mutationFn: (values: typeof initialValues) => setUp({ token, ...values, email: values.email.trim() }),
    onSuccess: () => viewerChanged('/'),
  })
  if (create.error instanceof Problem && create.error.code === 'LINK_NOT_VALID') {
    return (
      <Notice kind="error" title="This set-up link does not work any more">
        It was used already, or has expired. For a new one, restart Rollkey, or run{' '}
        <Code>npx rollkey-server setup-link</Code> on its machine.
      </Notice>
    )
  }
  return (
    <SubmitForm form={form} mutation={create} label="Create account and organization">
      <TextInput {...form.getInputProps('name')} label="Your name" autoComplete="name" required />
      <TextInput {...form.getInputProps('email')} label="Email" type="email" autoComplete="username" required />
      <NewPasswordInput {...form.getInputProps('password')} />
      <SlugFields
        what="Organization"
        name={form.getInputProps('organizationName')}
        slug={form.getInputProps('organizationSlug')}
      />
    </SubmitForm>
  )
}

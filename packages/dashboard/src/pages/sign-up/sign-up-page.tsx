import { useLocation } from '@tanstack/react-router'
import { Text } from '@mantine/core'
import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useSettings } from '../../hooks/use-settings.ts'
import { SignUpForm } from './sign-up-form.tsx'

export function SignUpPage() {
  const settings = useSettings()
  const state = useLocation({ select: (location) => location.state })
  if (settings.provider === 'outside' || settings.signUp === 'invitation') {
    const how =
      settings.provider === 'outside'
        ? 'Accounts are made at the identity provider of this service.'
        : 'Accounts are made by invitation: ask an owner or admin of your organization for a link.'
    return (
      <Page title="Create an account" lead={how}>
        <ButtonLink to="/sign-in" state={state}>
          Go to sign-in
        </ButtonLink>
      </Page>
    )
  }
  return (
    <Page title="Create an account">
      <SignUpForm />
      <Text size="sm">
        Have an account already?{' '}
        <TextLink to="/sign-in" state={state}>
          Sign in
        </TextLink>
      </Text>
    </Page>
  )
}

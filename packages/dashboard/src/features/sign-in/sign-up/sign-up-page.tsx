import { useLocation } from '@tanstack/react-router'
import { Text } from '@mantine/core'
import { ButtonLink } from '../../../ui/button-link.tsx'
import { Page } from '../../../ui/page.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { useSettings } from '../../../session/use-settings.ts'
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

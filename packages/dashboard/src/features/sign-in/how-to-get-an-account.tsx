import { Text } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { TextLink } from '../../ui/text-link.tsx'
import type { EmbeddedSettings } from '../../session/settings.ts'

interface HowToGetAnAccountProps {
  readonly signUp: EmbeddedSettings['signUp']
}

export function HowToGetAnAccount({ signUp }: HowToGetAnAccountProps) {
  const state = useLocation({ select: (location) => location.state })
  const reset = 'Password forgotten? An owner or admin of your organization can give you a link to set a new one.'
  if (signUp === 'invitation') {
    return (
      <Text size="sm">No account yet? Accounts are made by invitation: ask an owner or admin for a link. {reset}</Text>
    )
  }
  return (
    <Text size="sm">
      No account yet?{' '}
      <TextLink to="/sign-up" state={state}>
        Create one
      </TextLink>
      . {reset}
    </Text>
  )
}

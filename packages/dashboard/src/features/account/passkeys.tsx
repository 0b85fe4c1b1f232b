import { Text } from '@mantine/core'
import { useSettings } from '../../session/use-settings.ts'
import { hasPasskeySupport } from './passkeys-client.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { NewPasskeyForm } from './new-passkey-form.tsx'
import { PasskeyList } from './passkey-list.tsx'

interface PasskeysProps {
  readonly viewer: EmbeddedViewer
}

export function Passkeys({ viewer }: PasskeysProps) {
  const settings = useSettings()
  if (settings.provider === 'outside' || !settings.passkeys) {
    return (
      <Text>
        Passkeys do not work at this address: they need a host name, such as localhost or a domain with https, not an IP
        address. The operator of this service can change its public URL.
      </Text>
    )
  }
  return (
    <>
      <Text>Sign in with your device, its screen lock or a security key instead of a password.</Text>
      <PasskeyList userId={viewer.userId} />
      {hasPasskeySupport() ? (
        <NewPasskeyForm viewer={viewer} />
      ) : (
        <Text>This browser has no passkeys. Use another one to add one.</Text>
      )}
    </>
  )
}

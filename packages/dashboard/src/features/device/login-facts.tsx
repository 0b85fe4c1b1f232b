import type { ReactNode } from 'react'
import { Facts } from '../../ui/description-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { UntrustedText } from '../../ui/untrusted-text.tsx'
import type { WaitingLogin } from './device.ts'

interface LoginFactsProps {
  readonly login: WaitingLogin
  /** Its name, or the choice of another one. */
  readonly organization: ReactNode
}

export function LoginFacts({ login: { clientName, requestedAtMs, expiresAtMs }, organization }: LoginFactsProps) {
  const client = clientName === undefined ? 'A client without a name' : <UntrustedText>{clientName}</UntrustedText>
  return (
    <Facts
      facts={{
        'Client (it chose this name itself)': client,
        'Gets access to the organization': organization,
        'Asked for': <TimeText ms={requestedAtMs} />,
        Expires: <TimeText ms={expiresAtMs} />,
      }}
    />
  )
}

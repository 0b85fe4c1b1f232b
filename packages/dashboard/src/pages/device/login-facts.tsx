import type { ReactNode } from 'react'
import { TimeText } from '../../components/time-text.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import type { WaitingLogin } from '../../identity/device.ts'
import classes from './device.module.css'

interface LoginFactsProps {
  readonly login: WaitingLogin
  /** Its name, or the choice of another one. */
  readonly organization: ReactNode
}

export function LoginFacts({ login: { clientName, requestedAtMs, expiresAtMs }, organization }: LoginFactsProps) {
  return (
    <dl className={classes['facts']}>
      <div>
        <dt>Client (it chose this name itself)</dt>
        <dd>{clientName === undefined ? 'A client without a name' : <UntrustedText>{clientName}</UntrustedText>}</dd>
      </div>
      <div>
        <dt>Gets access to the organization</dt>
        <dd>{organization}</dd>
      </div>
      <div>
        <dt>Asked for</dt>
        <dd>
          <TimeText ms={requestedAtMs} />
        </dd>
      </div>
      <div>
        <dt>Expires</dt>
        <dd>
          <TimeText ms={expiresAtMs} />
        </dd>
      </div>
    </dl>
  )
}

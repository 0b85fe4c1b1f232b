import { normalUserCode } from './user-code.ts'
import { useLinkParameter } from '../../session/use-link-parameter.ts'
import { DeviceSteps } from './device-steps.tsx'

/** The browser's part of a command-line login. */
export function DevicePage() {
  const linked = useLinkParameter('user_code')
  return <DeviceSteps key={linked} linkedCode={linked === undefined ? undefined : normalUserCode(linked)} />
}

import { useSettings } from '../../hooks/use-settings.ts'
import { EmbeddedSignIn } from './embedded-sign-in.tsx'
import { OutsideSignIn } from './outside-sign-in.tsx'

export function SignInPage() {
  const settings = useSettings()
  return settings.provider === 'embedded' ? (
    <EmbeddedSignIn settings={settings} />
  ) : (
    <OutsideSignIn settings={settings} />
  )
}

import { useSettings } from '../../session/use-settings.ts'
import { EmbeddedSignIn } from './embedded-sign-in.tsx'
import { OutsideSignIn } from './external-sign-in-form.tsx'

export function SignInPage() {
  const settings = useSettings()
  return settings.provider === 'embedded' ? (
    <EmbeddedSignIn settings={settings} />
  ) : (
    <OutsideSignIn settings={settings} />
  )
}

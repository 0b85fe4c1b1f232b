import { useEffect, useEffectEvent } from 'react'
import { canFillPasskeys, signInWithPasskey } from '../account/passkeys-client.ts'

/** Lets the browser offer passkeys where the email is typed. What fails is left alone: nobody asked for it. */
export function usePasskeyAutofill(isEnabled: boolean, onSignedIn: () => Promise<void>): void {
  const signedIn = useEffectEvent(onSignedIn)
  useEffect(() => {
    let isShown = true
    const offer = async (): Promise<void> => {
      if (!isEnabled || !(await canFillPasskeys()) || !isShown) return
      await signInWithPasskey(true)
      if (isShown) await signedIn()
    }
    offer().catch(() => undefined)
    return () => {
      isShown = false
    }
  }, [isEnabled])
}

import { useEffect, useState } from 'react'
import { rememberUserCode } from '../../session/user-code-memory.ts'
import { CodeEntry } from './code-entry.tsx'
import { LoginReview } from './login-review.tsx'

interface DeviceStepsProps {
  readonly linkedCode: string | undefined
}

/** Enter the code, unless a link brought it; look at what waits under it; approve or deny. */
export function DeviceSteps({ linkedCode }: DeviceStepsProps) {
  const [userCode, setUserCode] = useState(linkedCode)
  useEffect(() => {
    rememberUserCode(userCode)
    return () => rememberUserCode(undefined)
  }, [userCode])
  if (userCode === undefined) return <CodeEntry onEntered={setUserCode} />
  return <LoginReview userCode={userCode} onRestart={() => setUserCode(undefined)} />
}

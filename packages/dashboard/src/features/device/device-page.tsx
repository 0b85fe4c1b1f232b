import { useEffect, useState } from 'react'
import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useLinkParameter } from '../../session/use-link-parameter.ts'
import { rememberUserCode } from '../../session/user-code-memory.ts'
import { Page } from '../../ui/page.tsx'
import { normalUserCode } from './user-code.ts'
import { LoginReview } from './login-review.tsx'
import classes from './device.module.css'

/** The browser's part of a command-line login. */
export function DevicePage() {
  const linked = useLinkParameter('user_code')
  return <DeviceSteps key={linked} linkedCode={linked === undefined ? undefined : normalUserCode(linked)} />
}

interface DeviceStepsProps {
  readonly linkedCode: string | undefined
}

/** Enter the code, unless a link brought it; look at what waits under it; approve or deny. */
function DeviceSteps({ linkedCode }: DeviceStepsProps) {
  const [userCode, setUserCode] = useState(linkedCode)
  useEffect(() => {
    rememberUserCode(userCode)
    return () => rememberUserCode(undefined)
  }, [userCode])
  if (userCode === undefined) return <CodeEntry onEntered={setUserCode} />
  return <LoginReview userCode={userCode} onRestart={() => setUserCode(undefined)} />
}

interface CodeEntryProps {
  readonly onEntered: (userCode: string) => void
}

function CodeEntry({ onEntered }: CodeEntryProps) {
  const form = useForm({
    initialValues: { code: '' },
    validate: {
      code: (typed) => (normalUserCode(typed) === undefined ? 'Enter the 8 letters and digits of the code.' : null),
    },
  })
  const show = ({ code }: typeof form.values): void => {
    const userCode = normalUserCode(code)
    if (userCode !== undefined) onEntered(userCode)
  }
  return (
    <Page title="Connect a device" lead="Enter the code that your command-line client or device shows.">
      <form noValidate onSubmit={form.onSubmit(show, () => form.getInputNode('code')?.focus())}>
        <Stack>
          <TextInput
            {...form.getInputProps('code')}
            classNames={{ input: classes['code-input'] }}
            label="Code"
            description="8 letters and digits, such as ABCD-2345"
            size="lg"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
          <Button type="submit">Continue</Button>
        </Stack>
      </form>
    </Page>
  )
}

import { useEffect, useState } from 'react'
import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useLinkParameter } from '../../session/use-link-parameter.ts'
import { rememberUserCode } from '../../session/user-code-memory.ts'
import { Page } from '../../ui/page.tsx'
import { normalUserCode } from './user-code.ts'
import { LoginReview } from './login-review.tsx'
import classes from './device.module.css'
import { labels } from './labels.ts'

/** The browser's part of a CLI login. */
export function DevicePage() {
  const linked = useLinkParameter('user_code')
  return <DeviceSteps key={linked} linkedCode={linked === undefined ? undefined : normalUserCode(linked)} />
}

interface DeviceStepsProps {
  readonly linkedCode: string | undefined
}

/** Asks for the code unless a link contains it, shows the login, and approves or denies it. */
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
      code: (typed) => (normalUserCode(typed) === undefined ? labels.entry.invalid : null),
    },
  })
  const show = ({ code }: typeof form.values): void => {
    const userCode = normalUserCode(code)
    if (userCode !== undefined) onEntered(userCode)
  }
  return (
    <Page title={labels.entry.title} lead={labels.entry.lead}>
      <form noValidate onSubmit={form.onSubmit(show, () => form.getInputNode('code')?.focus())}>
        <Stack>
          <TextInput
            {...form.getInputProps('code')}
            classNames={{ input: classes['code-input'] }}
            label={labels.entry.code}
            description={labels.entry.codeUse}
            size="lg"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
          <Button type="submit">{labels.entry.submit}</Button>
        </Stack>
      </form>
    </Page>
  )
}

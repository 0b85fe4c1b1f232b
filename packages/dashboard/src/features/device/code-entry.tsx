import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { normalUserCode } from './user-code.ts'
import { Page } from '../../ui/page.tsx'
import classes from './device.module.css'

interface CodeEntryProps {
  readonly onEntered: (userCode: string) => void
}

export function CodeEntry({ onEntered }: CodeEntryProps) {
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

import { Button, Stack, Text } from '@mantine/core'
import { Command } from '../../ui/command.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Notice } from '../../ui/notice.tsx'

interface ShownTokenProps {
  readonly token: string
  readonly onDone: () => void
}

export function ShownToken({ token, onDone }: ShownTokenProps) {
  return (
    <Stack>
      <Notice kind="success">The token is made. Copy it now: it is shown this once.</Notice>
      <CopyField label="Service token" value={token} />
      <Text>The SDK and the command line take it from the environment:</Text>
      <Command what="the line that sets the token" text={`export ROLLKEY_TOKEN=${token}`} />
      <Button onClick={onDone}>Done</Button>
    </Stack>
  )
}

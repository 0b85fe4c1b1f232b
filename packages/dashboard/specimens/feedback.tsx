import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Banner, Notice } from '../src/ui/notice.tsx'
import { ConfirmDialog } from '../src/ui/confirm-dialog.tsx'
import { toast, ToastRegion } from '../src/ui/toast.tsx'
import { Specimen } from './specimen.tsx'

/** What tells people how their actions went. */
export function Feedback() {
  return (
    <>
      <Specimen title="Toasts">
        <Group>
          <Button
            variant="default"
            onClick={() => toast.success('Saved to dev', { undo: () => undefined, redo: () => undefined })}
          >
            Success with undo
          </Button>
          <Button variant="default" onClick={() => toast.info('Back online')}>
            Info
          </Button>
          <Button variant="default" onClick={() => toast.error(new Error('lost'))}>
            Error
          </Button>
        </Group>
        <ToastRegion />
      </Specimen>
      <Specimen title="Banner">
        <Banner kind="offline">Can’t reach the server. Retrying…</Banner>
        <Banner
          kind="warning"
          action={
            <Button size="xs" variant="default">
              Reload
            </Button>
          }
        >
          Live updates are paused.
        </Banner>
      </Specimen>
      <Question />
      <Specimen title="Notices">
        <Stack gap="xs">
          <Notice kind="error">API_KEY was changed by Ada. Look at the change, then save again.</Notice>
          <Notice kind="warning">The token of web-shop expires in 3 days.</Notice>
          <Notice kind="success">Approved. You can close this tab and return to your terminal.</Notice>
          <Notice kind="info">Archived stages are hidden and read-only.</Notice>
        </Stack>
      </Specimen>
    </>
  )
}

function Question() {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <Specimen title="Question">
      <Group>
        <Button variant="default" onClick={open}>
          Delete…
        </Button>
      </Group>
      <ConfirmDialog
        title="Delete web-shop?"
        label="Delete web-shop"
        typed="web-shop"
        mutation={{ mutate: close, error: null, isPending: false }}
        opened={isOpen}
        onClose={close}
      >
        All stages and variables of the project are deleted. Usage and audit log are kept.
      </ConfirmDialog>
    </Specimen>
  )
}

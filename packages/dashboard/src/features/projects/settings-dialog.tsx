import { Button, Divider, Modal, Stack, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { PlaceChange } from './queries.ts'
import { ArchiveForm } from './archive-form.tsx'
import { RenameForm } from './rename-form.tsx'

interface PlaceSettingsProps {
  readonly what: 'project' | 'stage'
  readonly name: string
  readonly isArchived: boolean
  readonly change: (change: PlaceChange) => Promise<void>
  /** What its button looks like, where it is not usual. */
  readonly button?: ButtonProps
}

/** A button, and behind it what can be changed about a project or stage. */
export function PlaceSettings({ button, ...place }: PlaceSettingsProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        size="sm"
        variant="default"
        aria-label={`Settings of the ${place.what} ${place.name}`}
        onClick={open}
        {...button}
      >
        {button?.children ?? 'Settings'}
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Settings of ${place.name}`}>
        <Stack>
          <RenameForm {...place} onDone={close} />
          <Divider />
          <ArchiveForm {...place} onDone={close} />
        </Stack>
      </Modal>
    </>
  )
}

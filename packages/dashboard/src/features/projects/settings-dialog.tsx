import { Button, type ButtonProps, Divider, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useForm } from '@mantine/form'
import { required } from '../../lib/validation.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { BusyButton } from '../../ui/busy-button.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import type { PlaceChange } from './queries.ts'
import { useProjectChange } from './use-project-change.ts'

interface SettingsDialogProps {
  readonly what: 'project' | 'stage'
  readonly name: string
  readonly isArchived: boolean
  readonly change: (change: PlaceChange) => Promise<void>
  /** What its button looks like, where it is not usual. */
  readonly button?: ButtonProps
}

/** A button, and behind it what can be changed about a project or stage. */
export function SettingsDialog({ button, ...place }: SettingsDialogProps) {
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

interface RenameFormProps {
  readonly name: string
  readonly change: (change: PlaceChange) => Promise<void>
  readonly onDone: () => void
}

function RenameForm({ name, change, onDone }: RenameFormProps) {
  const form = useForm({ initialValues: { name }, validate: { name: required('a name') } })
  const rename = useProjectChange(async (values: typeof form.values) => {
    await change({ name: values.name.trim() })
    onDone()
  })
  return (
    <SubmitForm form={form} mutation={rename} label="Rename">
      <TextInput
        {...form.getInputProps('name')}
        label="Name"
        description="What people see. The slug, which commands use, stays."
        maxLength={128}
        autoComplete="off"
        required
        data-autofocus
      />
    </SubmitForm>
  )
}

interface ArchiveFormProps {
  readonly what: 'project' | 'stage'
  readonly isArchived: boolean
  readonly change: (change: PlaceChange) => Promise<void>
  readonly onDone: () => void
}

/** Nothing is lost by it, so it does not ask twice. */
function ArchiveForm({ what, isArchived, change, onDone }: ArchiveFormProps) {
  const archive = useProjectChange(async (archived: boolean) => {
    await change({ archived })
    onDone()
    focusHeading()
  })
  return (
    <Stack>
      <Text>
        {isArchived
          ? `Out of the archive, this ${what} can be changed again.`
          : `In the archive, this ${what} is out of sight and cannot be changed. Applications read it as before.`}
      </Text>
      <ErrorNotice error={archive.error} />
      <BusyButton variant="default" isBusy={archive.isPending} onClick={() => archive.mutate(!isArchived)}>
        {isArchived ? `Take this ${what} out of the archive` : `Archive this ${what}`}
      </BusyButton>
    </Stack>
  )
}

import { Menu, Modal, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactElement, type ReactNode, useState } from 'react'
import { required } from '../../lib/validation.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { labels } from './labels.ts'
import type { PlaceChange } from './queries.ts'
import { useProjectChange } from './use-project-change.ts'

interface PlaceMenuProps {
  readonly what: 'project' | 'stage'
  readonly name: string
  readonly isArchived: boolean
  readonly change: (change: PlaceChange) => Promise<void>
  /** The button that opens it. */
  readonly target: ReactElement
  /** Items before those that every menu of a project or stage has. */
  readonly children?: ReactNode
}

/** What can be done with a project or stage: a menu, and the dialogs behind its items. */
export function PlaceMenu({ target, children, ...place }: PlaceMenuProps) {
  const [dialog, setDialog] = useState<'rename' | 'archive'>()
  const close = (): void => setDialog(undefined)
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>{target}</Menu.Target>
        <Menu.Dropdown>
          {children}
          <Menu.Item onClick={() => setDialog('rename')}>{labels.rename}</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => setDialog('archive')}>
            {place.isArchived ? labels.unarchive : labels.archive}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={dialog === 'rename'} onClose={close} title={labels.renameTitle(place.name)}>
        <RenameForm {...place} onDone={close} />
      </Modal>
      <ArchiveDialog {...place} opened={dialog === 'archive'} onClose={close} />
    </>
  )
}

interface RenameFormProps extends Pick<PlaceMenuProps, 'name' | 'change'> {
  readonly onDone: () => void
}

function RenameForm({ name, change, onDone }: RenameFormProps) {
  const form = useForm({ initialValues: { name }, validate: { name: required('a name') } })
  const rename = useProjectChange(async (values: typeof form.values) => {
    await change({ name: values.name.trim() })
    onDone()
  })
  return (
    <SubmitForm form={form} mutation={rename} label={labels.rename}>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.name}
        description={labels.nameText}
        maxLength={128}
        autoComplete="off"
        required
        data-autofocus
      />
    </SubmitForm>
  )
}

interface ArchiveDialogProps extends Pick<PlaceMenuProps, 'what' | 'name' | 'isArchived' | 'change'> {
  readonly opened: boolean
  readonly onClose: () => void
}

function ArchiveDialog({ what, name, isArchived, change, opened, onClose }: ArchiveDialogProps) {
  const archive = useProjectChange(async () => {
    await change({ archived: !isArchived })
    onClose()
    focusHeading()
  })
  return (
    <ConfirmDialog
      title={isArchived ? labels.unarchiveTitle(name) : labels.archiveTitle(name)}
      label={isArchived ? labels.unarchive : labels.archive}
      mutation={{ ...archive, mutate: () => archive.mutate(undefined) }}
      opened={opened}
      onClose={onClose}
    >
      {isArchived ? labels.unarchiveText(what) : labels.archiveText[what]}
    </ConfirmDialog>
  )
}

import { Menu, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Children, type ReactElement, type ReactNode, useState } from 'react'
import { required } from '../../lib/validation.ts'
import { type Command, useCommands } from '../../ui/commands.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { mainId } from '../../ui/page.tsx'
import { focusHeading } from '../../ui/focus.ts'
import { SubmitForm } from '../../ui/form.tsx'
import { placeCommand } from '../../data/projects/commands.ts'
import { type PlaceChange, useProjectChange } from '../../data/projects/queries.ts'
import { Modal } from '../../ui/dialog.tsx'
import { labels } from './labels.ts'

interface PlaceMenuProps {
  readonly what: 'project' | 'stage'
  readonly name: string
  /** People type it to confirm the deletion. */
  readonly slug: string
  readonly isArchived: boolean
  /** Whether the viewer may rename and archive it. */
  readonly mayChange: boolean
  readonly mayDelete: boolean
  readonly change: (change: PlaceChange) => Promise<void>
  readonly remove: () => Promise<void>
  /** The button that opens the menu. */
  readonly target: ReactElement
  /** Where it is, if the page is that of the project: the palette offers what the menu does to it. Absent: on another page. */
  readonly ofPage?: { readonly projectSlug: string; readonly stageSlug?: string }
  /** Items that precede those of every project and stage. */
  readonly children?: ReactNode
}

/** Shows the menu of a project or stage, and the dialogs of its items. Without an item there is no menu. */
export function PlaceMenu({ target, children, mayChange, mayDelete, ofPage, ...place }: PlaceMenuProps) {
  const [dialog, setDialog] = useState<'rename' | 'archive' | 'delete'>()
  const close = (): void => setDialog(undefined)
  const allowed = [...(mayChange ? (['rename', 'archive'] as const) : []), ...(mayDelete ? (['delete'] as const) : [])]
  const commandOf = (action: (typeof allowed)[number]): Command => ({
    id: placeCommand(action, ofPage?.projectSlug ?? '', ofPage?.stageSlug),
    label: labels.renameTitle(place.name),
    isKeyOnly: true,
    run: () => setDialog(action),
  })
  useCommands(ofPage ? allowed.map(commandOf) : [])
  if (!mayChange && !mayDelete && Children.toArray(children).length === 0) return null
  return (
    <>
      <Menu withInitialFocusPlaceholder={false} portalProps={{ target: `#${mainId}` }}>
        <Menu.Target>{target}</Menu.Target>
        <Menu.Dropdown>
          {children}
          {mayChange && <Menu.Item onClick={() => setDialog('rename')}>{labels.renameItem[place.what]}</Menu.Item>}
          {(mayChange || mayDelete) && <Menu.Divider />}
          {mayChange && (
            <Menu.Item onClick={() => setDialog('archive')}>
              {place.isArchived ? labels.unarchiveItem : labels.archiveItem[place.what]}
            </Menu.Item>
          )}
          {mayDelete && (
            <Menu.Item c="var(--danger-text)" onClick={() => setDialog('delete')}>
              {labels.deleteItem[place.what]}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={dialog === 'rename'} onClose={close} title={labels.renameTitle(place.name)}>
        <RenameForm {...place} onDone={close} />
      </Modal>
      <ArchiveDialog {...place} opened={dialog === 'archive'} onClose={close} />
      <DeleteDialog {...place} opened={dialog === 'delete'} onClose={close} />
    </>
  )
}

interface RenameFormProps extends Pick<PlaceMenuProps, 'name' | 'change'> {
  readonly onDone: () => void
}

function RenameForm({ name, change, onDone }: RenameFormProps) {
  const form = useForm({ initialValues: { name }, validate: { name: required(labels.nameMissing) } })
  const set = useProjectChange((to: string) => change({ name: to }))
  const rename = useProjectChange(async (values: typeof form.values) => {
    await change({ name: values.name.trim() })
    toast.success(labels.renamed(name, values.name.trim()), {
      undo: async () => {
        await set.mutateAsync(name)
        return labels.renamed(values.name.trim(), name)
      },
      redo: () => set.mutateAsync(values.name.trim()),
    })
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
  const set = useProjectChange((archived: boolean) => change({ archived }))
  const archive = useProjectChange(async () => {
    await change({ archived: !isArchived })
    toast.success((isArchived ? labels.unarchiveDone : labels.archiveDone)(name), {
      undo: async () => {
        await set.mutateAsync(isArchived)
        return (isArchived ? labels.archiveDone : labels.unarchiveDone)(name)
      },
      redo: () => set.mutateAsync(!isArchived),
    })
    onClose()
    focusHeading()
  })
  return (
    <ConfirmDialog
      isDangerous={false}
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

interface DeleteDialogProps extends Pick<PlaceMenuProps, 'what' | 'name' | 'slug' | 'remove'> {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Deletes after the person typed the slug. */
function DeleteDialog({ what, name, slug, remove, opened, onClose }: DeleteDialogProps) {
  const deletion = useProjectChange<void>(async () => {
    await remove()
    toast.success(labels.deleted(name))
    onClose()
    focusHeading()
  })
  return (
    <ConfirmDialog
      title={labels.deleteTitle(name)}
      label={labels.deleteButton(name)}
      typed={slug}
      mutation={deletion}
      opened={opened}
      onClose={onClose}
    >
      {labels.deleteText[what]}
    </ConfirmDialog>
  )
}

import type { Change } from '@rollkey/sdk/core'
import { Button, Stack, Text, Textarea } from '@mantine/core'
import type { WriteEntry } from '@rollkey/contract'
import { canMove } from '@rollkey/contract/rules'
import { useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { labels } from './labels.ts'
import classes from './proposals.module.css'

const { edit: words } = labels

type ProposalItem = Change['items'][number]

interface ItemActionsProps {
  readonly proposal: Change
  readonly item: ProposalItem
}

/** Lets the person who proposed a change give a variable another value, or leave it out. */
export function ItemActions({ proposal, item }: ItemActionsProps) {
  const { state, proposedBy, steps, items } = proposal
  const { userId } = useViewer()
  const may = useMay()
  const [asked, setAsked] = useState<'value' | 'leaveOut'>()
  const isEditable = canMove(state, 'edit') && proposedBy === userId && may('write', placeOf(proposal)) && !steps
  if (!isEditable) return null
  const props = { proposal, item, onClose: () => setAsked(undefined) }
  return (
    <span className={classes['itemActions']}>
      {item.after?.kind === 'secret' && !item.after.template && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => setAsked('value')}
          aria-label={words.valueOf(item.name)}
        >
          {words.value}
        </Button>
      )}
      {items.length > 1 && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => setAsked('leaveOut')}
          aria-label={words.leaveOutOf(item.name)}
        >
          {words.leaveOut}
        </Button>
      )}
      <ValueDialog {...props} opened={asked === 'value'} />
      <LeaveOutDialog {...props} opened={asked === 'leaveOut'} />
    </span>
  )
}

interface DialogProps extends ItemActionsProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Returns a mutation that edits the part of a change that is about one variable. */
function useEdit({ proposal, item, onClose }: DialogProps, done: string) {
  const { id, digest } = proposal
  const scope = useScope()
  const place = placeOf(proposal)
  return useProposalChange(place, async (entries?: readonly WriteEntry[]) => {
    await ask(scope, 'changeEdit', { ...place, id, digest, without: [item.name], entries })
    onClose()
    toast.success(done)
  })
}

function LeaveOutDialog(props: DialogProps) {
  const { item, opened, onClose } = props
  const edit = useEdit(props, words.leftOut(item.name))
  return (
    <ConfirmDialog
      title={words.leaveOutTitle(item.name)}
      label={words.leaveOut}
      mutation={{ ...edit, mutate: () => edit.mutate(undefined) }}
      opened={opened}
      onClose={onClose}
    >
      {words.leaveOutText}
    </ConfirmDialog>
  )
}

function ValueDialog(props: DialogProps) {
  const { item, opened } = props
  const [value, setValue] = useState('')
  const close = (): void => {
    setValue('')
    props.onClose()
  }
  const edit = useEdit({ ...props, onClose: close }, words.changed(item.name))
  const { declaredType, exposure, description } = item.after ?? {}
  const entry: WriteEntry = { name: item.name, kind: 'secret', declaredType, exposure, description, value }
  return (
    <ConfirmDialog
      title={words.valueTitle(item.name)}
      label={words.save}
      isDangerous={false}
      mutation={{ ...edit, mutate: () => edit.mutate([entry]) }}
      opened={opened}
      onClose={close}
    >
      <Stack gap="xs">
        <Textarea
          label={words.newValue}
          classNames={{ input: 'mono' }}
          autosize
          minRows={1}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          data-autofocus
        />
        <Text size="sm" c="dimmed">
          {words.voids}
        </Text>
      </Stack>
    </ConfirmDialog>
  )
}

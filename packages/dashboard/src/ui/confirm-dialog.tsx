import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BusyButton } from './buttons.tsx'
import { ErrorNotice } from './notice.tsx'
import { toast } from './toast.tsx'
import classes from './form.module.css'
import { labels } from './labels.ts'
import { Modal } from './dialog.tsx'

interface ConfirmDialogProps {
  /** The question, which names the thing: "Delete web-shop?". */
  readonly title: string
  /** The consequences. */
  readonly children: ReactNode
  /** Text of the confirming button, which repeats the verb. */
  readonly label: string
  /** Text of the button that closes the dialog. @default 'Cancel' */
  readonly cancelLabel?: string
  /**
   * Text that the person must type first, such as the slug of a deleted thing. Absent: nothing.
   */
  readonly typed?: string
  /** Whether the action destroys something. @default true */
  readonly isDangerous?: boolean
  /** Returns whether the person entered what the question asks for, and says what is missing. Absent: it asks for nothing else. */
  readonly check?: () => boolean
  readonly mutation: { mutate(): void; readonly error: unknown; readonly isPending: boolean }
  readonly opened: boolean
  readonly onClose: () => void
}

/** Asks before something that cannot be undone, or that concerns many people. */
export function ConfirmDialog({ opened, onClose, title, ...question }: ConfirmDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      // The dialog would also handle the Escape that opened it.
      closeOnEscape={false}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <Question {...question} onClose={onClose} />
    </Modal>
  )
}

type QuestionProps = Omit<ConfirmDialogProps, 'opened' | 'title'>

/** Shows the content of the dialog, with new state each time that it opens. */
function Question(props: QuestionProps) {
  const { children, label, cancelLabel = labels.cancel, typed, isDangerous = true, mutation, onClose } = props
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text === typed
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isTyped && !mutation.isPending && (props.check?.() ?? true)) mutation.mutate()
      }}
    >
      <Stack>
        <Text component="div">{children}</Text>
        {typed !== undefined && (
          <TextInput
            label={labels.typeToConfirm(typed)}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <ErrorNotice error={mutation.error} />
        <div className={classes['footer']}>
          <Button variant="default" data-autofocus={typed === undefined || undefined} onClick={onClose}>
            {cancelLabel}
          </Button>
          <BusyButton
            type="submit"
            {...(isDangerous && { color: 'red' })}
            disabled={!isTyped}
            isBusy={mutation.isPending}
          >
            {label}
          </BusyButton>
        </div>
      </Stack>
    </form>
  )
}

export interface RevokeButtonProps {
  /** The revoked credential, such as "session of laptop". */
  readonly what: string
  /** What the button and its question say. @default that it revokes */
  readonly words?: {
    readonly button: string
    readonly name: (what: string) => string
    readonly title: (what: string) => string
    readonly confirm: (what: string) => string
    readonly done: (what: string) => string
  }
  /** The consequences. */
  readonly children: ReactNode
  readonly revoke: () => Promise<void>
  /** Key of the list that shows the credential. */
  readonly queryKey: readonly unknown[]
}

/** Revokes or deletes a credential after a question. */
export function RevokeButton({ what, words = labels.revoke, children, revoke, queryKey }: RevokeButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: revoke,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey })
      toast.success(words.done(what))
    },
  })
  return (
    <>
      <Button size="sm" variant="subtle" color="gray" aria-label={words.name(what)} onClick={open}>
        {words.button}
      </Button>
      <ConfirmDialog
        title={words.title(what)}
        label={words.confirm(what)}
        mutation={end}
        opened={isAsking}
        onClose={close}
      >
        {children}
      </ConfirmDialog>
    </>
  )
}

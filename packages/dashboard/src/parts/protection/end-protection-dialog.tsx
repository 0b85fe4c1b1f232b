import type { Stage } from '@rollkey/sdk/core'
import { useScope } from '../../session/scope.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { focusOn } from '../../ui/focus.ts'
import { toast } from '../../ui/toast.tsx'
import { protect, useAccessChange } from '../../data/access/queries.ts'
import { stageFocus } from '../../data/projects/commands.ts'
import { labels } from './labels.ts'

const words = labels.protection

interface EndProtectionDialogProps {
  readonly projectSlug: string
  readonly stage: Stage
  readonly opened: boolean
  readonly onClose: () => void
}

/** Asks before the protection of a stage ends. The service requires a fresh confirmation. */
export function EndProtectionDialog({ projectSlug, stage, opened, onClose }: EndProtectionDialogProps) {
  const scope = useScope()
  const { stageSlug, name, protection } = stage
  const place = { projectSlug, stageSlug }
  const undo = useAccessChange(() => protect(scope, { ...place, ...protection, isProtected: true }))
  const redo = useAccessChange(() => protect(scope, { ...place, isProtected: false }))
  const ending = useAccessChange(async () => {
    await protect(scope, { ...place, isProtected: false })
    onClose()
    focusOn(stageFocus(stageSlug))
    toast.success(words.ended(name), {
      isButtonOnly: true,
      undo: async () => {
        await undo.mutateAsync()
        return words.done(name)
      },
      redo: () => redo.mutateAsync(),
    })
  })
  return (
    <ConfirmDialog
      title={words.endTitle(name)}
      label={words.endSubmit}
      mutation={{ ...ending, mutate: () => ending.mutate() }}
      opened={opened}
      onClose={onClose}
    >
      {words.endText(name)}
    </ConfirmDialog>
  )
}

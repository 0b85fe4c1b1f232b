import type { Change } from '@rollkey/sdk/core'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { namesOf } from '../../data/proposals/queries.ts'
import { usePlaceOf } from '../../parts/plans/state-text.tsx'
import { ProductionNotice } from '../../parts/projects/production-notice.tsx'
import { labels } from './labels.ts'

interface ApplyDialogProps {
  readonly proposal: Change
  /** Text of the button that applies the change. */
  readonly label: string
  readonly mutation: { mutate(): void; readonly error: unknown; readonly isPending: boolean }
  readonly opened: boolean
  readonly onClose: () => void
}

/** Asks before a change is applied. */
export function ApplyDialog({ proposal, ...question }: ApplyDialogProps) {
  const { stage } = usePlaceOf(proposal)
  return (
    <ConfirmDialog {...question} title={labels.applyTitle(namesOf(proposal), proposal.stageSlug)} isDangerous={false}>
      {stage?.isProduction && <ProductionNotice stage={stage.name} />}
    </ConfirmDialog>
  )
}

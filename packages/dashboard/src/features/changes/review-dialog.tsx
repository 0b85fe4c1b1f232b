import { Modal } from '@mantine/core'
import { focusHeading } from '../../ui/focus-heading.ts'
import { useChanges } from './changes-context.ts'
import { useSaveChanges } from './use-save-changes.ts'
import type { Project } from '../projects/queries.ts'
import { ReviewForm } from './review-form.tsx'

interface ReviewDialogProps {
  readonly project: Project
}

export function ReviewDialog({ project }: ReviewDialogProps) {
  const { pending, isReviewing, endReview } = useChanges()
  const save = useSaveChanges(project.projectSlug, focusHeading)
  const close = (): void => {
    endReview()
    // What goes wrong after that is told when the dialog is opened again.
    if (!save.isPending) save.reset()
  }
  return (
    <Modal opened={isReviewing} onClose={close} title="Review changes" size="lg">
      {pending.length > 0 && <ReviewForm stages={project.stages} save={save} />}
    </Modal>
  )
}

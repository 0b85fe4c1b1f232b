import type { ReactNode } from 'react'
import { ChangesContext } from './changes-context.ts'
import { usePendingChanges } from './use-pending-changes.ts'
import type { Project } from '../projects/queries.ts'
import { ChangesBar } from './changes-bar.tsx'
import { LeaveQuestion } from './leave-question.tsx'
import { ReviewDialog } from './review-dialog.tsx'

interface ProjectChangesProps {
  readonly project: Project
  /** Where changes are made. */
  readonly children: ReactNode
}

/** Collects changes of a project until they are saved together. */
export function ProjectChanges({ project, children }: ProjectChangesProps) {
  return (
    <ChangesContext value={usePendingChanges()}>
      {children}
      <ChangesBar />
      <ReviewDialog project={project} />
      <LeaveQuestion />
    </ChangesContext>
  )
}

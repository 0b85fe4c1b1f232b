import { useMemo, type ReactNode } from 'react'
import type { Project } from '../projects/queries.ts'
import { type Changes, ChangesContext, useUnsavedChanges } from './changes-context.ts'
import { inKnowledgeOf, type PendingChange, withChanges } from './change-set.ts'
import { ReviewDialog } from './review-dialog.tsx'
import { UnsavedBar } from './unsaved-bar.tsx'

const none: readonly PendingChange[] = []

interface ProjectChangesProps {
  readonly project: Project
  /** The pages of the project. */
  readonly children: ReactNode
}

/** Lets a person collect changes of a project until they are saved together. */
export function ProjectChanges({ project, children }: ProjectChangesProps) {
  const { projectSlug, stages } = project
  return (
    <ChangesContext value={useProjectChanges(projectSlug)}>
      {children}
      <UnsavedBar projectSlug={projectSlug} stages={stages} />
      <ReviewDialog project={project} />
    </ChangesContext>
  )
}

function useProjectChanges(projectSlug: string): Changes {
  const { byProject, update, setReviewed } = useUnsavedChanges()
  const pending = byProject.get(projectSlug) ?? none
  return useMemo(() => {
    const change = (next: (pending: Changes['pending']) => Changes['pending']): void => update(projectSlug, next)
    return {
      pending,
      add: (added) => change((now) => withChanges(now, added)),
      remove: (removed) => change((now) => now.filter((each) => !removed.includes(each))),
      accept: (conflict) => change((now) => inKnowledgeOf(now, conflict)),
      review: () => setReviewed(projectSlug),
    }
  }, [pending, projectSlug, update, setReviewed])
}

import type { Project } from '@rollkey/sdk/core'
import { useBlocker, useMatch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { useScope } from '../../session/scope.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import {
  type Changes,
  ChangesContext,
  keepsChanges,
  type UnsavedChanges,
  UnsavedContext,
  useUnsavedChanges,
} from '../../data/unsaved-changes/changes-context.ts'
import { labels } from './labels.ts'
import { AwayBar, UnsavedBar } from './unsaved-bar.tsx'
import { inKnowledgeOf, type PendingChange, withChanges } from '../../data/unsaved-changes/change-set.ts'
import { ReviewDialog } from './review-dialog.tsx'

interface UnsavedChangesProviderProps {
  /** The pages of an organization. */
  readonly children: ReactNode
}

/**
 * Holds unsaved changes while a person visits the pages of an organization. They have values, so they are in the state of
 * this component alone: they end with the tab, a sign-out and a change of the organization, after a question.
 */
export function UnsavedChangesProvider({ children }: UnsavedChangesProviderProps) {
  const unsaved = useProjects()
  return (
    <UnsavedContext value={unsaved}>
      {children}
      <ProjectsElsewhere unsaved={unsaved} />
      <LeaveQuestion unsaved={unsaved} />
    </UnsavedContext>
  )
}

function useProjects(): UnsavedChanges {
  const [byProject, setByProject] = useState<UnsavedChanges['byProject']>(new Map())
  const [reviewed, setReviewed] = useState<UnsavedChanges['reviewed']>()
  const update = useCallback<UnsavedChanges['update']>(
    (projectSlug, next) =>
      setByProject((now) => {
        const others = [...now].filter(([slug]) => slug !== projectSlug)
        const pending = next(now.get(projectSlug) ?? [])
        return new Map(pending.length === 0 ? others : [...others, [projectSlug, pending]])
      }),
    [],
  )
  return useMemo(() => ({ byProject, update, reviewed, setReviewed }), [byProject, update, reviewed])
}

function ProjectsElsewhere({ unsaved: { byProject } }: UnsavedProps) {
  const here = useMatch({
    from: '/signed-in/o/$orgSlug/p/$projectSlug',
    shouldThrow: false,
    select: ({ params }) => params.projectSlug,
  })
  return <AwayBar projectSlugs={[...byProject.keys()].filter((slug) => slug !== here)} />
}

interface UnsavedProps {
  readonly unsaved: UnsavedChanges
}

function LeaveQuestion({ unsaved: { byProject } }: UnsavedProps) {
  const { orgSlug } = useScope()
  const count = [...byProject.values()].reduce((sum, pending) => sum + pending.length, 0)
  const { status, proceed, reset } = useBlocker({
    // Without a session, the changes cannot be saved anyway.
    shouldBlockFn: ({ next }) => count > 0 && next.pathname !== '/sign-in' && !keepsChanges(orgSlug, next.pathname),
    enableBeforeUnload: count > 0,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      title={labels.discardTitle}
      label={labels.discardButton}
      cancelLabel={labels.keepEditing}
      mutation={{ mutate: () => proceed?.(), error: null, isPending: false }}
      opened={status === 'blocked'}
      onClose={() => reset?.()}
    >
      {labels.leaveText(count)}
    </ConfirmDialog>
  )
}

const none: readonly PendingChange[] = []

interface ProjectChangesProps {
  readonly project: Project
  /** The pages of the project. */
  readonly children: ReactNode
}

/** Collects the changes of a project until they are saved together. */
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
      review: (before) => setReviewed({ projectSlug, ...(before && { before }) }),
    }
  }, [pending, projectSlug, update, setReviewed])
}

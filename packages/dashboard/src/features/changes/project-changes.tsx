import { type ReactNode, useMemo, useState } from 'react'
import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useDisclosure } from '@mantine/hooks'
import { type Project, projectsQuery } from '../projects/queries.ts'
import { focusHeading } from '../../ui/focus-heading.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { saveAll } from '../variables/save.ts'
import { isOfStage, type Place } from '../variables/queries.ts'
import { useScope } from '../../session/use-scope.ts'
import { type Changes, ChangesContext, useChanges } from './changes-context.ts'
import { ReviewForm } from './review-form.tsx'
import { byStage, countText, inKnowledgeOf, type PendingChange, withChanges } from './change-set.ts'
import { Conflict } from './conflict.ts'
import classes from './changes-bar.module.css'

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

interface ReviewDialogProps {
  readonly project: Project
}

function ReviewDialog({ project }: ReviewDialogProps) {
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

/** Asks before what is not saved is left behind. */
function LeaveQuestion() {
  const { pending } = useChanges()
  const { status, proceed, reset } = useBlocker({
    // Whoever is signed out could not save any more.
    shouldBlockFn: ({ current, next }) =>
      pending.length > 0 && next.pathname !== current.pathname && next.pathname !== '/sign-in',
    enableBeforeUnload: pending.length > 0,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      title="Leave without saving?"
      label="Leave and discard"
      mutation={{ mutate: () => proceed?.(), error: null, isPending: false }}
      opened={status === 'blocked'}
      onClose={() => reset?.()}
    >
      {countText(pending)}. Leaving this page throws that away.
    </ConfirmDialog>
  )
}

interface State {
  readonly pending: readonly PendingChange[]
  readonly isReviewing: boolean
}

const nothing: State = { pending: [], isReviewing: false }

/** Changes that nobody has saved yet. They are in the state of the component alone, and go with it. */
function usePendingChanges(): Changes {
  const [state, setState] = useState(nothing)
  const actions = useMemo(() => {
    const change = (next: (pending: State['pending']) => State['pending']): void =>
      setState(({ pending, isReviewing }) => {
        const left = next(pending)
        return left.length === 0 ? nothing : { pending: left, isReviewing }
      })
    const setReviewing = (isReviewing: boolean): void => setState(({ pending }) => ({ pending, isReviewing }))
    return {
      add: (added) => change((pending) => withChanges(pending, added)),
      takeOut: (taken) => change((pending) => pending.filter((each) => !taken.includes(each))),
      accept: (conflict) => change((pending) => inKnowledgeOf(pending, conflict)),
      review: () => setReviewing(true),
      endReview: () => setReviewing(false),
    } satisfies Partial<Changes>
  }, [])
  return { ...state, ...actions }
}

/**
 * Saves what is collected, stage by stage; what is saved is collected no longer. Whoever was told of a conflict saves the
 * next time in knowledge of it. `onSaved`: told when the table shows all.
 */
function useSaveChanges(projectSlug: string, onSaved: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { pending, takeOut, accept } = useChanges()
  const refresh = async (place: Place): Promise<void> => {
    void queryClient.invalidateQueries(projectsQuery(scope))
    await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
  }
  return useMutation({
    mutationFn: async () => {
      for (const [stageSlug, changes] of byStage(pending)) {
        const place = { projectSlug, stageSlug }
        await saveAll(scope, place, changes)
        await refresh(place)
        takeOut(changes)
      }
    },
    onError: (error) => {
      if (!(error instanceof Conflict)) return
      accept(error)
      void refresh({ projectSlug, stageSlug: error.stageSlug })
    },
    onSuccess: onSaved,
  })
}

/** At the foot of the page, while there is something to save. */
function ChangesBar() {
  const { pending, takeOut, review } = useChanges()
  const [isAsking, { open, close }] = useDisclosure()
  const isEmpty = pending.length === 0
  const discard = (): void => {
    close()
    takeOut(pending)
    focusHeading()
  }
  return (
    <Group className={isEmpty ? undefined : classes['bar']} justify="space-between">
      <Text role="status" fw={600}>
        {!isEmpty && countText(pending)}
      </Text>
      {!isEmpty && (
        <Group gap="xs">
          <Button size="sm" variant="default" onClick={open}>
            Discard
          </Button>
          <Button size="sm" onClick={review}>
            Review
          </Button>
        </Group>
      )}
      <ConfirmDialog
        title="Discard what is not saved?"
        label={pending.length === 1 ? 'Discard 1 change' : `Discard ${pending.length} changes`}
        mutation={{ mutate: discard, error: null, isPending: false }}
        opened={isAsking}
        onClose={close}
      >
        The stages stay as they are.
      </ConfirmDialog>
    </Group>
  )
}

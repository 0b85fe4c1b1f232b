import type { Stage } from '@rollkey/sdk/core'
import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useScope } from '../../session/scope.ts'
import { ButtonLink } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { focusHeading } from '../../ui/focus.ts'
import { IconDraft } from '../../ui/icons.ts'
import { projectsQuery } from '../../data/projects/queries.ts'
import { inStages } from '../../data/variables/labels.ts'
import { byStage, type PendingChange } from '../../data/unsaved-changes/change-set.ts'
import { useUnsavedChanges } from '../../data/unsaved-changes/changes-context.ts'
import { labels } from './labels.ts'
import classes from './unsaved-bar.module.css'

interface UnsavedBarProps {
  readonly projectSlug: string
  /** The stages of the project, for their names. */
  readonly stages: readonly Stage[]
}

/** Counts the unsaved changes of the page's project, to review or discard them. */
export function UnsavedBar({ projectSlug, stages }: UnsavedBarProps) {
  const { byProject, update, setReviewed } = useUnsavedChanges()
  const [isAsking, { open, close }] = useDisclosure()
  const pending = byProject.get(projectSlug) ?? []
  const discard = (): void => {
    close()
    update(projectSlug, () => [])
    focusHeading()
  }
  return (
    <>
      <Bar text={pending.length > 0 ? labels.bar(pending.length, inStages(changedStages(pending, stages))) : ''}>
        <Button size="sm" variant="default" onClick={open}>
          {labels.discard}
        </Button>
        <Button size="sm" onClick={() => setReviewed({ projectSlug })}>
          {labels.review}
        </Button>
      </Bar>
      <ConfirmDialog
        title={labels.discardTitle}
        label={labels.discardButton}
        cancelLabel={labels.keepEditing}
        mutation={{ mutate: discard, error: null, isPending: false }}
        opened={isAsking}
        onClose={close}
      >
        {labels.discardText}
      </ConfirmDialog>
    </>
  )
}

/** Links other pages to the unsaved changes of projects. */
export function AwayBar({ projectSlugs }: { readonly projectSlugs: readonly string[] }) {
  const { byProject, setReviewed } = useUnsavedChanges()
  const { data } = useQuery({ ...projectsQuery(useScope()), enabled: projectSlugs.length > 0 })
  const [first] = projectSlugs
  const count = projectSlugs.reduce((sum, slug) => sum + (byProject.get(slug)?.length ?? 0), 0)
  const names = projectSlugs.map((slug) => data?.find(({ projectSlug }) => projectSlug === slug)?.name ?? slug)
  return (
    <Bar text={first === undefined ? '' : labels.bar(count, labels.projects(names))}>
      {first !== undefined && (
        <ButtonLink
          size="sm"
          from="/o/$orgSlug"
          to="./p/$projectSlug"
          params={{ projectSlug: first }}
          onClick={() => setReviewed({ projectSlug: first })}
        >
          {labels.review}
        </ButtonLink>
      )}
    </Bar>
  )
}

interface BarProps {
  /** Empty: nothing is shown. */
  readonly text: string
  readonly children: ReactNode
}

/**
 * Shows a bar at the foot of the window. The status element stays without the bar, so that a screen reader notices the next
 * text.
 */
function Bar({ text, children }: BarProps) {
  return (
    <>
      {text !== '' && <div className={classes['room']} />}
      <div className={text === '' ? undefined : classes['bar']} data-at-foot={text !== '' || undefined}>
        <Text role="status" size="sm" fw={500} className={`wrapping ${classes['text']}`}>
          {text !== '' && <IconDraft />}
          {text}
        </Text>
        {text !== '' && (
          <Group gap="xs" wrap="nowrap" ml="auto">
            {children}
          </Group>
        )}
      </div>
    </>
  )
}

function changedStages(pending: readonly PendingChange[], stages: readonly Stage[]): readonly Stage[] {
  const changed = byStage(pending)
  return stages.filter(({ stageSlug }) => changed.has(stageSlug))
}

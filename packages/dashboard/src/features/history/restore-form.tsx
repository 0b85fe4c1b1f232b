import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { BusyButton } from '../../ui/busy-button.tsx'
import { FocusRegion } from '../../ui/focus-region.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { isOfStage, type Place } from '../variables/queries.ts'
import { projectsQuery } from '../projects/queries.ts'
import { useScope } from '../../session/use-scope.ts'
import { mostChanges } from './changes-since.ts'
import { type Past, type RestorePreview, restorePreviewQuery, restoreVariables } from './restore.ts'
import type { Effect } from './effects.ts'
import classes from './history.module.css'

interface RestoreFormProps {
  readonly place: Place
  /** The variable or stage, as people see it. */
  readonly what: string
  readonly past: Past
  readonly onClose: () => void
}

/** What would change by going back, and one button that does it. */
export function RestoreForm({ place, what, past, onClose }: RestoreFormProps) {
  const { preview, error, restore } = useRestore(place, past)
  const { revision } = past
  const effects = preview?.effects
  if (restore.isSuccess) {
    return (
      <FocusRegion>
        <Stack>
          <Notice kind="success">
            {what} is as it was at revision {revision}. That is a new revision, so you can go back.
          </Notice>
          <Button onClick={onClose}>Close</Button>
        </Stack>
      </FocusRegion>
    )
  }
  return (
    <Stack>
      {!preview && !error && <Loading />}
      {effects && effects.length > 0 && <EffectList effects={effects} />}
      {preview && <Text role="status">{sentenceOf(preview, what, revision)}</Text>}
      <ErrorNotice error={error} />
      {preview && effects && effects.length > 0 && (
        <BusyButton isBusy={restore.isPending} onClick={() => restore.mutate(preview.revision)}>
          Restore {effects.length === 1 ? '1 variable' : `${effects.length.toLocaleString()} variables`} as at revision{' '}
          {revision}
        </BusyButton>
      )}
    </Stack>
  )
}

function sentenceOf({ effects, unchanged }: RestorePreview, what: string, revision: number): string {
  if (!effects) {
    return `More than ${mostChanges.toLocaleString()} changes were made since revision ${revision}, too many to look at here. Restore single variables.`
  }
  if (effects.length === 0) return `${what} is as it was at revision ${revision} already. There is nothing to restore.`
  const others =
    unchanged === 0
      ? ''
      : unchanged === 1
        ? '1 other stays as it is. '
        : `${unchanged.toLocaleString()} others stay as they are. `
  return `${others}This makes a new revision, so nothing is lost.`
}

/** What going back would do, and the doing of it. */
function useRestore(place: Place, past: Past) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { data: preview, error } = useQuery(restorePreviewQuery(scope, place, past))
  const restore = useMutation({
    mutationFn: (seen: number) => restoreVariables(scope, place, past, seen),
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
    },
  })
  return { preview, error: error ?? restore.error, restore }
}

interface EffectListProps {
  readonly effects: readonly Effect[]
}

/** What restoring would do, by variable. */
function EffectList({ effects }: EffectListProps) {
  const headingId = useId()
  return (
    <Stack gap="xs">
      <Title id={headingId} order={3} size="h5">
        What restoring does
      </Title>
      <Stack
        component="ul"
        className={`plain-list wrapping ${classes['effects']}`}
        gap={4}
        // It scrolls where it is long.
        tabIndex={0}
        aria-labelledby={headingId}
      >
        {effects.map(({ name, words }) => (
          <Group component="li" key={name} justify="space-between" gap="0 var(--mantine-spacing-md)">
            <bdi>{name}</bdi>
            <Text size="sm" c="dimmed">
              {words}
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}

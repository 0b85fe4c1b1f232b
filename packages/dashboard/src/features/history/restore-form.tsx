import { Button, Stack, Text } from '@mantine/core'
import { BusyButton } from '../../ui/busy-button.tsx'
import { FocusedPart } from '../../ui/focus-region.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useRestore } from './use-restore.ts'
import { mostChanges } from './changes-since.ts'
import type { Past, RestorePreview } from './restore.ts'
import type { Place } from '../variables/queries.ts'
import { EffectList } from './effect-list.tsx'

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
      <FocusedPart>
        <Stack>
          <Notice kind="success">
            {what} is as it was at revision {revision}. That is a new revision, so you can go back.
          </Notice>
          <Button onClick={onClose}>Close</Button>
        </Stack>
      </FocusedPart>
    )
  }
  return (
    <Stack>
      {!preview && !error && <Loading />}
      {effects && effects.length > 0 && <EffectList effects={effects} />}
      {preview && <Text role="status">{sentenceOf(preview, what, revision)}</Text>}
      <ProblemNotice error={error} />
      {preview && effects && effects.length > 0 && (
        <BusyButton isBusy={restore.isPending} onClick={() => restore.mutate(preview.revision)}>
          Restore {effects.length === 1 ? '1 variable' : `${effects.length.toLocaleString('en')} variables`} as at
          revision {revision}
        </BusyButton>
      )}
    </Stack>
  )
}

function sentenceOf({ effects, unchanged }: RestorePreview, what: string, revision: number): string {
  if (!effects) {
    return `More than ${mostChanges.toLocaleString('en')} changes were made since revision ${revision}, too many to look at here. Restore single variables.`
  }
  if (effects.length === 0) return `${what} is as it was at revision ${revision} already. There is nothing to restore.`
  const others =
    unchanged === 0
      ? ''
      : unchanged === 1
        ? '1 other stays as it is. '
        : `${unchanged.toLocaleString('en')} others stay as they are. `
  return `${others}This makes a new revision, so nothing is lost.`
}

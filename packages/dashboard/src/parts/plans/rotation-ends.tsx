import type { ListedChange } from '@rollkey/sdk/core'
import { Button, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ask, type Scope } from '../../session/scope.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { placeOf } from '../../data/proposals/queries.ts'
import { labels } from './labels.ts'

const { rotation: words } = labels

/** Which value everyone gets. */
export type Side = 'new' | 'old'

/** Ends the rotation that a change does. */
export async function endRotation(scope: Scope, change: ListedChange, side: Side): Promise<void> {
  await ask(scope, 'changeAbort', { ...placeOf(change), id: change.id, chance: side === 'new' ? 1 : 0 })
}

interface RotationEndsProps {
  readonly name: string
  readonly stageName: string
  readonly end: {
    mutate(side: Side, options: { readonly onSuccess: () => void }): void
    reset(): void
    readonly error: unknown
    readonly isPending: boolean
  }
  /** Whether what the dialog also asks for was entered. Absent: it asks for nothing else. */
  readonly check?: () => boolean
  /** What the dialog also asks for. */
  readonly children?: ReactNode
}

/** Offers to end the rotation of a secret with one of its values. */
export function RotationEnds({ name, stageName, end, check, children }: RotationEndsProps) {
  const [side, setSide] = useState<Side>()
  const close = (): void => setSide(undefined)
  return (
    <>
      <Button size="xs" onClick={() => setSide('new')}>
        {words.finish}
      </Button>
      <Button size="xs" variant="default" onClick={() => setSide('old')}>
        {words.back}
      </Button>
      <ConfirmDialog
        title={side === 'new' ? words.finishTitle(name) : words.backTitle(name)}
        label={side === 'new' ? words.finish : words.back}
        isDangerous={false}
        {...(check && { check })}
        mutation={{ ...end, mutate: () => side && end.mutate(side, { onSuccess: close }) }}
        opened={side !== undefined}
        onClose={() => {
          end.reset()
          close()
        }}
      >
        <Stack gap="xs">
          <Text>{side === 'new' ? words.finishText(stageName) : words.backText(stageName)}</Text>
          {children}
        </Stack>
      </ConfirmDialog>
    </>
  )
}

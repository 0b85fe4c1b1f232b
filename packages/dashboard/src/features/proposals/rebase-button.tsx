import type { Change, Stage } from '@rollkey/sdk/core'
import { Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { percentText } from '../../lib/numbers.ts'
import { absoluteTime, readerZone, relativeTime } from '../../lib/time.ts'
import { ask, useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { ProductionNotice } from '../../parts/projects/production-notice.tsx'
import { stepsAhead } from '../../parts/plans/chance-moves.ts'
import { labels } from './labels.ts'
import { wordsOf } from './ramp-words.ts'
import { namesOf, placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { StepPreview } from '../../parts/plans/step-preview.tsx'

const { rebase: words } = labels

interface RebaseButtonProps {
  readonly proposal: Change
  /** Undefined: not known yet. */
  readonly stage: Stage | undefined
}

/** Bases a change on the present state. Asks first where the service then applies it by itself. */
export function RebaseButton({ proposal, stage }: RebaseButtonProps) {
  const { id, digest, approvals, applyAtMs, stageSlug } = proposal
  const stageName = stage?.name ?? stageSlug
  const [isAsking, { open, close }] = useDisclosure()
  const scope = useScope()
  const place = placeOf(proposal)
  const rebase = useProposalChange(place, async () => {
    await ask(scope, 'changeEdit', { ...place, id, digest, rebase: true })
    close()
    toast.success(words.done(stageName, approvals.required > 0))
  })
  const moved = movedRolls(proposal)
  const asks = applyAtMs !== undefined || moved.length > 0
  return (
    <>
      <BusyButton
        size="xs"
        variant="default"
        isBusy={rebase.isPending}
        onClick={() => (asks ? open() : rebase.mutate())}
      >
        {words.open}
      </BusyButton>
      {asks ? (
        <ConfirmDialog
          title={words.title(stageName)}
          label={words.button(stageName)}
          isDangerous={false}
          mutation={{ ...rebase, mutate: () => rebase.mutate() }}
          opened={isAsking}
          onClose={close}
        >
          <Stack gap="xs">
            {approvals.required > 0 && <Text>{words.approval}</Text>}
            {moved.map(({ name, from, to }) => (
              <Text key={name} className="wrapping">
                {words.moves(name, percentText(from), percentText(to))}
              </Text>
            ))}
            {applyAtMs !== undefined && <NextMoves proposal={proposal} applyAtMs={applyAtMs} stage={stage} />}
            {applyAtMs !== undefined && stage?.isProduction && <ProductionNotice stage={stageName} isLater />}
          </Stack>
        </ConfirmDialog>
      ) : (
        <ErrorNotice error={rebase.error} />
      )}
    </>
  )
}

interface MovedRoll {
  readonly name: string
  /** Chances. */
  readonly from: number
  readonly to: number
}

/** Returns the rolls that a change sets as they were when it was proposed, and whose chance has moved since. */
function movedRolls({ items }: Change): readonly MovedRoll[] {
  return items.flatMap(({ name, chance, before, after }) => {
    const [from, to] = [before?.chance, after?.chance]
    return chance === undefined && from !== undefined && to !== undefined && from !== to ? [{ name, from, to }] : []
  })
}

interface NextMovesProps extends RebaseButtonProps {
  readonly applyAtMs: number
}

/** Says what the service does by itself once the change is based on the present state. */
function NextMoves({ proposal, applyAtMs, stage }: NextMovesProps) {
  const { items, zone = readerZone() } = proposal
  const nowMs = useNow()
  const [item] = items
  const steps =
    proposal.steps ?? (items.length === 1 && item?.chance !== undefined && [{ atMs: applyAtMs, chance: item.chance }])
  if (steps) {
    return (
      <>
        <Text className="wrapping">{wordsOf(proposal).lead(namesOf(proposal))}</Text>
        <StepPreview steps={stepsAhead(steps, nowMs)} chance={item?.before?.chance} zone={zone} stage={stage} />
      </>
    )
  }
  const atMs = Math.max(applyAtMs, nowMs)
  return (
    <Text className="wrapping">{words.next(namesOf(proposal), relativeTime(atMs, nowMs), absoluteTime(atMs))}</Text>
  )
}

import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Labels } from '@rollkey/contract/rules'
import { type Command, useCommands } from '../../ui/commands.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconStop } from '../../ui/icons.ts'
import { ProductionNotice } from '../projects/production-notice.tsx'
import { ask, type Scope, useScope } from '../../session/scope.ts'
import { toast } from '../../ui/toast.tsx'
import { digestsQuery, isOfStage, type Place } from '../variables/queries.ts'
import type { Saved } from '../variables/save.ts'
import { useUndo } from '../variables/undo.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { FormDrawer } from '../../ui/form.tsx'
import { Name } from '../../ui/name.tsx'
import { RowsSkeleton } from '../../ui/loading.tsx'
import { ChanceForm } from '../variables/editor/chance-form.tsx'
import { labels } from './labels.ts'
import { StageLabel } from './share-bar.tsx'
import { useSides } from './sides.tsx'
import type { ListedRoll, Targeting } from './roll-list.ts'

interface StopButtonProps {
  readonly roll: Stoppable
  /** Whether the button is in a row of a list. @default false */
  readonly isInRow?: boolean
}

/** Stops a roll after one question. */
export function StopButton({ roll, isInRow = false }: StopButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const { name, stageName, place } = roll
  const command: Command = {
    id: `stop-roll/${place.projectSlug}/${place.stageSlug}/${name}`,
    label: labels.stopOf(name, stageName),
    icon: IconStop,
    run: open,
  }
  // A list has one button for each roll.
  useCommands(isInRow ? [] : [command])
  return (
    <>
      <Button
        variant={isInRow ? 'subtle' : 'outline'}
        color="red"
        size={isInRow ? 'xs' : 'sm'}
        leftSection={!isInRow && <IconStop />}
        aria-label={labels.stopOf(name, stageName)}
        onClick={open}
      >
        {labels.stop}
      </Button>
      <StopDialog roll={isAsking ? roll : undefined} onClose={close} />
    </>
  )
}

interface StopDialogProps {
  /** Undefined: the dialog is closed. */
  readonly roll: Stoppable | undefined
  readonly onClose: () => void
}

/** Asks before a roll is stopped. */
export function StopDialog({ roll, onClose }: StopDialogProps) {
  const stop = useStop(onClose)
  const { name = '', stageName = '', isProduction = false } = roll ?? {}
  const close = (): void => {
    // The error of one roll is not that of the next.
    stop.reset()
    onClose()
  }
  return (
    <ConfirmDialog
      title={labels.stopTitle(name, stageName)}
      label={labels.stopButton}
      mutation={{ ...stop, mutate: () => roll && stop.mutate(roll) }}
      opened={roll !== undefined}
      onClose={close}
    >
      <Stack gap="xs" align="flex-start">
        {roll && <StopText roll={roll} />}
        {isProduction && <ProductionNotice stage={stageName} />}
      </Stack>
    </ConfirmDialog>
  )
}

interface StopTextProps {
  readonly roll: Stoppable
}

function StopText({ roll: { place, name, chance, pinned, ruleCount, labels: names } }: StopTextProps) {
  return <Text>{labels.stopText(chance, pinned, ruleCount, useSides(place, name, names))}</Text>
}

/** A roll that can be stopped. */
export interface Stoppable extends Targeting {
  readonly place: Place
  readonly stageName: string
  readonly isProduction: boolean
  readonly name: string
  readonly labels?: Labels | undefined
}

/** Gives everyone B from now on, even if someone else changes the stage at the same time. */
async function stopRoll(scope: Scope, place: Place, name: string): Promise<Saved> {
  const { revision } = await ask(scope, 'roll', { ...place, name, chance: 0, pins: null, rules: null })
  return { place, before: revision - 1, revision, names: [name] }
}

/** Returns the mutation that stops a roll and confirms that with an undo. */
function useStop(onStopped: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const undoOf = useUndo()
  return useMutation({
    mutationFn: async ({ place, name }: Stoppable) => stopRoll(scope, place, name),
    onSuccess: async (saved, { place, stageName, name }) => {
      onStopped()
      toast.success(labels.stopped(name, stageName), undoOf([saved]))
      await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
    },
  })
}

interface ChanceDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly roll: ListedRoll | undefined
  readonly onClose: () => void
}

/** Changes the chance of a roll in a drawer beside the list. */
export function ChanceDrawer({ roll, onClose }: ChanceDrawerProps) {
  return (
    <FormDrawer opened={roll !== undefined} onClose={onClose} title={roll && <Name>{roll.name}</Name>}>
      {roll && <ChanceOf key={roll.key} roll={roll} onClose={onClose} />}
    </FormDrawer>
  )
}

interface ChanceOfProps {
  readonly roll: ListedRoll
  readonly onClose: () => void
}

function ChanceOf({ roll: { projectSlug, stageSlug, name, project, stage }, onClose }: ChanceOfProps) {
  const place = { projectSlug, stageSlug }
  const { data, error } = useQuery(digestsQuery(useScope(), place))
  const variable = data?.variables.find((each) => each.name === name)
  const { chance } = variable ?? {}
  return (
    <Stack>
      <Text c="dimmed">
        {project.name} · <StageLabel stage={stage} />
      </Text>
      {!data && (error ? <ErrorNotice error={error} /> : <RowsSkeleton rows={4} />)}
      {data && chance === undefined && <Text>{labels.rolls.gone}</Text>}
      {data && chance !== undefined && (
        <ChanceForm
          place={place}
          stage={stage}
          name={name}
          chance={chance}
          targets={variable}
          revision={data.revision}
          onClose={onClose}
        />
      )}
    </Stack>
  )
}

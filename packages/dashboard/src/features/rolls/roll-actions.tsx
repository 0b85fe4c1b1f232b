import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type Command, useCommands } from '../../ui/commands.ts'
import { IconStop } from '../../ui/icons.ts'
import { useScope } from '../../session/scope.ts'
import { digestsQuery } from '../../data/variables/queries.ts'
import { FormDrawer } from '../../ui/form.tsx'
import { Name } from '../../ui/name.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { ChanceForm } from '../../parts/rolls/chance-form.tsx'
import { labels } from './labels.ts'
import type { PlacedRoll } from './roll-list.ts'
import { StageLabel } from '../../parts/projects/production-mark.tsx'
import { StopDialog, type Stoppable } from '../../parts/rolls/stop-dialog.tsx'

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
    keys: 's',
    icon: IconStop,
    run: open,
  }
  // A list has one button for each roll.
  useCommands(isInRow ? [] : [command])
  return (
    <>
      <Button
        variant={isInRow ? 'subtle' : 'outline'}
        color={isInRow ? 'gray' : 'red'}
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

interface ChanceDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly roll: PlacedRoll | undefined
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
  readonly roll: PlacedRoll
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
      {!data && (error ? <LoadError error={error} /> : <RowsSkeleton rows={4} />)}
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

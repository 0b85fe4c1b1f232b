import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useScope } from '../../session/use-scope.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { Name } from '../../ui/name.tsx'
import { RowsSkeleton } from '../../ui/skeleton.tsx'
import { ChanceForm } from '../variables/editor/chance-form.tsx'
import { digestsQuery } from '../variables/queries.ts'
import { labels } from './labels.ts'
import { StageLabel } from './place-label.tsx'
import type { ListedRoll } from './roll-list.ts'

interface ChanceDrawerProps {
  /** Undefined: none is open. */
  readonly roll: ListedRoll | undefined
  readonly onClose: () => void
}

/** Changes the chance of a roll beside the list. */
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
  const chance = data?.variables.find((each) => each.name === name)?.chance
  return (
    <Stack>
      <Text c="dimmed">
        {project.name} · <StageLabel stage={stage} />
      </Text>
      {!data && (error ? <ErrorNotice error={error} /> : <RowsSkeleton rows={4} />)}
      {data && chance === undefined && <Text>{labels.rolls.gone}</Text>}
      {data && chance !== undefined && (
        <ChanceForm place={place} name={name} chance={chance} revision={data.revision} onSaved={onClose} />
      )}
    </Stack>
  )
}

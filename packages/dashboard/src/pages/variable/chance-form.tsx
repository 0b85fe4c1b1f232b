import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { moveSentence } from '../../base/chance.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import type { SaveMutation } from '../../hooks/use-save.ts'
import { ChanceInput } from './chance-input.tsx'
import { SaveProblem } from './save-problem.tsx'

interface ChanceFormProps {
  readonly name: string
  readonly chance: number
  readonly save: SaveMutation
}

/** Moves the chance of a roll, for which nobody needs to see its values. */
export function ChanceForm({ name, chance, save }: ChanceFormProps) {
  const [chosen, setChosen] = useState(chance)
  return (
    <Stack gap="xs">
      <ChanceInput value={chosen} onChange={setChosen} />
      {chosen !== chance && <Text size="sm">{moveSentence(chance, chosen)}</Text>}
      <SaveProblem error={save.error} />
      <Group>
        <BusyButton
          disabled={chosen === chance}
          isBusy={save.isPending}
          onClick={() => save.mutate({ do: 'chance', name, chance: chosen })}
        >
          Save chance
        </BusyButton>
      </Group>
    </Stack>
  )
}

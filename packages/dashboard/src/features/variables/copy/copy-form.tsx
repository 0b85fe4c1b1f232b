import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { limits } from '@rollkey/contract/rules'
import { useState } from 'react'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { useCopy } from './use-copy.ts'
import { useUnsaved } from '../../../ui/use-unsaved.ts'
import { copySentence } from './copy.ts'
import { currentStages, type Project } from '../../projects/queries.ts'
import { CopyChoices } from './copy-choices.tsx'

interface CopyFormProps {
  readonly project: Project
  readonly onDone: () => void
}

/** What one stage has and another has not, or has otherwise: chosen, looked at, copied at once. */
export function CopyForm({ project, onDone }: CopyFormProps) {
  const { projectSlug } = project
  const stages = currentStages(project).map((stage) => ({ value: stage.stageSlug, label: stage.name }))
  const [from, setFrom] = useState(stages[0]?.value ?? '')
  const targets = stages.filter(({ value }) => value !== from)
  const [wanted, setWanted] = useState('')
  const to = targets.find(({ value }) => value === wanted)?.value ?? targets[0]?.value ?? ''
  const { copies, error, copy } = useCopy({ projectSlug, stageSlug: from }, { projectSlug, stageSlug: to }, onDone)
  const [names, setNames] = useState<ReadonlySet<string>>(new Set())
  const chosen = copies?.filter(({ name }) => names.has(name)) ?? []
  useUnsaved(chosen.length > 0)
  const isTooMuch = chosen.length > limits.entries
  return (
    <Stack>
      <Group grow>
        <NativeSelect
          label="From"
          data={stages}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          data-autofocus
        />
        <NativeSelect label="To" data={targets} value={to} onChange={(event) => setWanted(event.currentTarget.value)} />
      </Group>
      {!copies && !error && <Loading />}
      {copies?.length === 0 && <Text>All that is in the one stage is the same in the other.</Text>}
      {copies && copies.length > 0 && <CopyChoices copies={copies} chosen={names} onChange={setNames} />}
      <ProblemNotice error={error} />
      <Text role="status">
        {isTooMuch ? `At most ${limits.entries} variables are copied at once. Choose fewer.` : copySentence(chosen)}
      </Text>
      <BusyButton
        disabled={chosen.length === 0 || isTooMuch}
        isBusy={copy.isPending}
        onClick={() => copy.mutate(chosen)}
      >
        {chosen.length === 1 ? 'Copy 1 variable' : `Copy ${chosen.length} variables`}
      </BusyButton>
    </Stack>
  )
}

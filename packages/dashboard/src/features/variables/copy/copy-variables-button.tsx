import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { limits } from '@rollkey/contract/rules'
import { useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FormDrawer } from '../../../ui/form-drawer.tsx'
import { currentStages, type Project, projectsQuery } from '../../projects/queries.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useUnsaved } from '../../../ui/use-unsaved.ts'
import { digestsQuery, type Place } from '../queries.ts'
import { useScope } from '../../../session/use-scope.ts'
import { toggled } from '../../../lib/sets.ts'
import { copiesOf, type Copy, copySentence, copyVariables } from './copy.ts'
import classes from './copy-choices.module.css'

interface CopyVariablesButtonProps {
  readonly project: Project
}

export function CopyVariablesButton({ project }: CopyVariablesButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        Copy between stages
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title="Copy between stages">
        <CopyForm project={project} onDone={close} />
      </FormDrawer>
    </>
  )
}

interface CopyFormProps {
  readonly project: Project
  readonly onDone: () => void
}

/** What one stage has and another has not, or has otherwise: chosen, looked at, copied at once. */
function CopyForm({ project, onDone }: CopyFormProps) {
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
      <ErrorNotice error={error} />
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

/** What can be copied between two stages, and the copying of some of it. `onCopied`: told when the table shows it. */
function useCopy(from: Place, to: Place, onCopied: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const source = useQuery(digestsQuery(scope, from))
  const target = useQuery(digestsQuery(scope, to))
  const copies = source.data && target.data && copiesOf(source.data.variables, target.data.variables)
  const copy = useMutation({
    mutationFn: async (chosen: readonly Copy[]) => {
      if (!source.data || !target.data) return
      const names = chosen.map(({ name }) => name)
      await copyVariables(scope, { place: from, contents: source.data }, { place: to, contents: target.data }, names)
    },
    onSuccess: onCopied,
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await Promise.all([from, to].map((place) => queryClient.invalidateQueries(digestsQuery(scope, place))))
    },
  })
  return { copies, error: source.error ?? target.error ?? copy.error, copy }
}

interface CopyChoicesProps {
  readonly copies: readonly Copy[]
  /** Names. */
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Plain boxes, for there may be thousands. */
function CopyChoices({ copies, chosen, onChange }: CopyChoicesProps) {
  const areAllChosen = copies.every(({ name }) => chosen.has(name))
  const toggleAll = (): void => onChange(new Set(areAllChosen ? [] : copies.map(({ name }) => name)))
  return (
    <fieldset className={classes['choices']}>
      <legend>What differs</legend>
      <label className={classes['choice']}>
        <input type="checkbox" checked={areAllChosen} onChange={toggleAll} />
        All {copies.length}
      </label>
      {copies.map(({ name, isNew }) => (
        <label key={name} className={classes['choice']}>
          <input type="checkbox" checked={chosen.has(name)} onChange={() => onChange(toggled(chosen, name))} />
          <bdi className={classes['name']}>{name}</bdi>
          <span className={classes['effect']}>{isNew ? 'new there' : 'replaces'}</span>
        </label>
      ))}
    </fieldset>
  )
}

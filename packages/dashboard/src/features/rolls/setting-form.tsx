import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { Button, Stack, Text } from '@mantine/core'
import type { Digested } from '@rollkey/contract'
import type { AttributeChanges } from '@rollkey/contract/rules'
import { type ReactNode, useRef } from 'react'
import { flushSync } from 'react-dom'
import { BusyButton } from '../../ui/buttons.tsx'
import { FormFooter, useLeave, useUnsaved } from '../../ui/form.tsx'
import { useProposing } from '../../parts/proposing/use-proposing.tsx'
import { ChangedNotice } from '../../parts/variables/recent-changes.tsx'
import { SaveProblem } from '../../parts/variables/save-problem.tsx'
import { useSave } from '../../data/variables/use-save.ts'
import { labels } from './labels.ts'
import { labels as editorLabels } from '../../parts/variables/labels.ts'
import type { Sides } from '../../data/rolls/labels.ts'

/** A roll of a stage, as its page shows it. */
export interface RollOfStage {
  readonly place: StageSlugs
  readonly stage: Stage
  readonly variable: Digested
  readonly chance: number
  readonly sides: Sides | undefined
}

interface SettingFormProps {
  readonly roll: RollOfStage
  /** The revision at which the person saw the setting. */
  readonly seen: number
  /** What the setting does. */
  readonly lead: string
  /** What to save; undefined while something is wrong with it. */
  readonly changes: Pick<AttributeChanges, 'labels' | 'rules' | 'pins'> | undefined
  readonly isUnchanged: boolean
  /** Runs when the person tries to save: problems are shown from then on. */
  readonly onCheck: () => void
  /** Says what was saved. */
  readonly savedText: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Saves one setting of a roll as a whole. Its button names the stage. */
export function SettingForm(props: SettingFormProps) {
  const { roll, seen, lead, changes, isUnchanged, onCheck, savedText, onClose, children } = props
  const { place, stage, variable } = roll
  const { name } = variable
  const form = useRef<HTMLFormElement>(null)
  const leave = useLeave()
  const save = useSave({ textOf: () => savedText, onSaved: onClose })
  const proposing = useProposing(place.projectSlug, [stage], changes)
  const seenNow = save.seenNow(place, seen)
  useUnsaved(!isUnchanged && !save.isPending)
  const submit = (): void => {
    if (isUnchanged || save.isPending || (changes && !proposing.check())) return
    const reason = proposing.reasonIn(stage.stageSlug)
    if (changes) return save.mutate([{ place, content: { updates: [{ name, ...changes }] }, seen: seenNow, reason }])
    flushSync(onCheck)
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {lead}
        </Text>
        {proposing.notice}
        {children}
        {proposing.reasonField}
        <ChangedNotice place={place} name={name} seen={seenNow} isSilent={save.isPending || save.failures.length > 0}>
          {editorLabels.changedNotice}
        </ChangedNotice>
        {save.failures.map(({ error }) => (
          <SaveProblem key={place.stageSlug} error={error} />
        ))}
      </Stack>
      <FormFooter>
        <Button variant="default" onClick={() => leave(onClose)}>
          {labels.cancel}
        </Button>
        <BusyButton type="submit" disabled={isUnchanged} isBusy={save.isPending}>
          {proposing.label([stage], () => labels.save(stage.name))}
        </BusyButton>
      </FormFooter>
    </form>
  )
}

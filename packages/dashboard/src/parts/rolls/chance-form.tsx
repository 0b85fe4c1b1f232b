import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { chanceOf, percentOf, percentText } from '../../lib/numbers.ts'
import { Button, Group, Input, NumberInput, Slider, Stack, Text } from '@mantine/core'
import type { Attributes } from '@rollkey/contract/rules'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { BusyButton } from '../../ui/buttons.tsx'
import { FormFooter, useLeave, useUnsaved } from '../../ui/form.tsx'
import { chanceSentence, moveSentence } from '../../data/rolls/chance.ts'
import { useSides } from './sides.tsx'
import { EndedPlans, useEndedPlans } from '../plans/ended-plans.tsx'
import { useProposing } from '../proposing/use-proposing.tsx'
import { useSave } from '../../data/variables/use-save.ts'
import { ChangedNotice } from '../variables/recent-changes.tsx'
import { SaveProblem } from '../variables/save-problem.tsx'
import classes from './chance-form.module.css'
import { labels as uiLabels } from '../../ui/labels.ts'
import { labels } from './labels.ts'
import type { Sides } from '../../data/rolls/labels.ts'

interface ChanceFormProps {
  readonly place: StageSlugs
  readonly stage: Stage
  readonly name: string
  /** The chance at the revision. */
  readonly chance: number
  /** What else decides the roll. Absent: nothing. */
  readonly targets?: Pick<Attributes, 'labels' | 'pinned' | 'rules'> | undefined
  readonly revision: number
  /** Closes the form, when a chance is saved too. Absent: the form is a part of a page, and stays. */
  readonly onClose?: () => void
}

/** Changes the chance of a roll without its values. */
export function ChanceForm({ place, stage, name, chance, targets, revision, onClose }: ChanceFormProps) {
  // A change by others after a person began to choose is a conflict.
  const [choice, setChoice] = useState<{ readonly chance: number; readonly revision: number }>()
  const form = useRef<HTMLFormElement>(null)
  const chosen = choice?.chance ?? chance
  const save = useSave({
    textOf: () => labels.chanceSaved(name, percentText(chosen), stage.name),
    onSaved: () => {
      setChoice(undefined)
      // The button that has the focus becomes disabled.
      form.current?.focus()
      onClose?.()
    },
  })
  const seen = save.seenNow(place, choice?.revision ?? revision)
  const choose = (next: number): void => {
    save.reset()
    setChoice(next === chance ? undefined : { chance: next, revision: choice?.revision ?? revision })
  }
  useUnsaved(choice !== undefined)
  const leave = useLeave()
  const sides = useSides(place, name, targets?.labels)
  const proposing = useProposing(place.projectSlug, [stage], choice && { chance: chosen })
  const plans = useEndedPlans(choice && proposing.reasonIn(place.stageSlug) === undefined ? place : undefined, [name])
  const content = { updates: [{ name, chance: chosen }] }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!choice || save.isPending || !proposing.check()) return
    save.mutate([{ place, content, seen, reason: proposing.reasonIn(place.stageSlug) }])
  }
  const Buttons = onClose ? FormFooter : Group
  return (
    <form ref={form} tabIndex={-1} className="focused-part" onSubmit={submit}>
      <Stack gap="xs">
        {proposing.notice}
        <ChanceInput value={chosen} sides={sides} onChange={choose} />
        {(targets?.pinned ?? targets?.rules) && <Text size="sm">{labels.othersOnly}</Text>}
        {chosen !== chance && <Text size="sm">{moveSentence(chance, chosen)}</Text>}
        {choice && (
          <ChangedNotice place={place} name={name} seen={seen} isSilent={save.isPending || save.failures.length > 0}>
            {labels.choiceNotice}
          </ChangedNotice>
        )}
        {save.failures.map(({ error }) => (
          <SaveProblem key={place.stageSlug} error={error} />
        ))}
        <EndedPlans plans={plans} />
        {choice && proposing.reasonField}
        <Buttons>
          {onClose && (
            <Button variant="default" onClick={() => leave(onClose)}>
              {uiLabels.cancel}
            </Button>
          )}
          <BusyButton type="submit" disabled={!choice} isBusy={save.isPending}>
            {proposing.label([stage], labels.save)}
          </BusyButton>
        </Buttons>
      </Stack>
    </form>
  )
}

interface ChanceInputProps {
  /** @default 'Chance of A' */
  readonly label?: string
  /** Chance from 0 to 1. */
  readonly value: number
  /** The values, if they are known. */
  readonly sides?: Sides | undefined
  /** What is wrong with it. */
  readonly error?: ReactNode
  /** The path by which a form focuses it. */
  readonly path?: string
  readonly onChange: (chance: number) => void
}

/** Usual steps of rollouts, in percent. */
const steps = [0, 1, 5, 10, 25, 50, 100]

/** Sets a chance with a slider for whole percents, a number for any, and buttons for the usual steps. */
export function ChanceInput({ label = labels.chance, value, sides, error, path, onChange }: ChanceInputProps) {
  const id = useId()
  const percent = percentOf(value)
  // The text may not be a number yet, such as "0.". It belongs to the value at which it was typed.
  const [typed, setTyped] = useState<{ readonly text: number | string; readonly value: number }>()
  const change = (text: number | string): void => {
    const chance = typeof text === 'number' ? chanceOf(Math.min(100, Math.max(0, text))) : value
    setTyped({ text, value: chance })
    if (chance !== value) onChange(chance)
  }
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <Group wrap="nowrap" gap="lg">
        <Slider
          className={classes['slider']}
          classNames={{ track: classes['track'] ?? '' }}
          thumbLabel={labels.chanceSlider(label)}
          label={null}
          thumbProps={{ 'aria-describedby': id }}
          value={percent}
          onChange={change}
        />
        <NumberInput
          aria-label={labels.chancePercent(label)}
          aria-describedby={id}
          aria-invalid={error ? true : undefined}
          data-path={path}
          w={120}
          suffix="%"
          min={0}
          max={100}
          decimalScale={4}
          value={typed?.value === value ? typed.text : percent}
          onChange={change}
        />
      </Group>
      <Group className={classes['steps']} mt="xs" role="group" aria-label={labels.usualChances(label)}>
        {steps.map((step) => (
          <Button
            key={step}
            size="compact-sm"
            variant={step === percent ? 'light' : 'default'}
            aria-pressed={step === percent}
            onClick={() => change(step)}
          >
            {step}%
          </Button>
        ))}
      </Group>
      <Text id={id} size="sm" c="dimmed" mt={4}>
        {chanceSentence(value, { sides })}
      </Text>
    </Input.Wrapper>
  )
}

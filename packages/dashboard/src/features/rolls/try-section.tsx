import { Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { Answer } from '@rollkey/sdk/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { percentText } from '../../lib/numbers.ts'
import { ask, useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { chanceSentence } from '../../data/rolls/chance.ts'
import { labels } from './labels.ts'
import { askedOf, contextOf, type TryInput } from './preview.ts'
import { conditionText } from './rule-draft.ts'
import classes from './rolls.module.css'
import type { RollOfStage } from './setting-form.tsx'

const { tryOut: words } = labels

interface Explained {
  readonly seed: string
  readonly answer: Answer<'explain'>
  /** The state that the page showed. */
  readonly variable: RollOfStage['variable']
}

interface ExplanationProps {
  readonly roll: RollOfStage
}

interface TrySectionProps extends ExplanationProps {
  readonly input: TryInput
  readonly onInput: (input: TryInput) => void
}

/** Shows which side a user gets, and why. */
export function TrySection({ roll, input, onInput }: TrySectionProps) {
  const { place, variable } = roll
  const scope = useScope()
  const [isWrong, setWrong] = useState(false)
  const [explained, setExplained] = useState<Explained>()
  // Seeds identify people, and a result would stay in the query client's memory, so the mutation has none.
  const request = useMutation({
    mutationFn: async (tried: TryInput) => {
      const asked = { ...place, name: variable.name, ...askedOf(tried) }
      setExplained({ seed: tried.seed, answer: await ask(scope, 'explain', asked), variable })
    },
    gcTime: 0,
  })
  const change = (part: Partial<TryInput>): void => {
    onInput({ ...input, ...part })
    setWrong(false)
    setExplained(undefined)
    request.reset()
  }
  const submit = (): void => {
    const isBad = input.context.trim() !== '' && contextOf(input.context) === undefined
    setWrong(isBad)
    if (!isBad) request.mutate(input)
  }
  return (
    <Panel title={words.title} lead={words.lead}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="sm">
          <InputFields input={input} isWrong={isWrong} onChange={change} />
          <Group>
            <BusyButton type="submit" variant="default" isBusy={request.isPending}>
              {words.explain}
            </BusyButton>
          </Group>
        </Stack>
      </form>
      <ErrorNotice error={request.error} />
      <div role="status">
        {/* Another state may decide otherwise. */}
        {explained?.variable === variable && <Explanation roll={roll} {...explained} />}
      </div>
    </Panel>
  )
}

interface InputFieldsProps {
  readonly input: TryInput
  readonly isWrong: boolean
  readonly onChange: (part: Partial<TryInput>) => void
}

function InputFields({ input, isWrong, onChange }: InputFieldsProps) {
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
  return (
    <>
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput
          {...plain}
          label={words.seed}
          description={words.seedHint}
          value={input.seed}
          onChange={(event) => onChange({ seed: event.currentTarget.value })}
        />
        <TextInput
          {...plain}
          label={words.key}
          description={words.keyHint}
          placeholder={words.noKey}
          value={input.key}
          onChange={(event) => onChange({ key: event.currentTarget.value })}
        />
      </Group>
      <Textarea
        {...plain}
        label={words.context}
        description={words.contextHint}
        placeholder={words.contextExample}
        classNames={{ input: 'mono' }}
        minRows={1}
        maxRows={8}
        value={input.context}
        error={isWrong && words.badContext}
        onChange={(event) => onChange({ context: event.currentTarget.value })}
      />
    </>
  )
}

function Explanation({ roll: { variable, sides }, seed, answer }: ExplanationProps & Explained) {
  const { decision, step, unit, chance } = answer
  const who = seed === '' ? words.noSeed : seed
  return (
    <Stack gap="xs">
      <Text className="wrapping">
        {decision
          ? words.gets(who, labels.side(decision, sides))
          : words.random(chanceSentence(chance ?? 0, { who: 'evaluations', sides }))}
      </Text>
      <Text size="sm" className="wrapping">
        {reasonText(variable, answer)}
      </Text>
      {step !== 'pin' && unit !== undefined && chance !== undefined && <BucketStrip unit={unit} chance={chance} />}
    </Stack>
  )
}

/** Returns which step decided, such as "Decided by rule 2: plan in pro, team → A." */
function reasonText({ rules = [] }: RollOfStage['variable'], answer: Answer<'explain'>): string {
  const { step, rule: number = 0, unit, chance } = answer
  if (step === 'pin') return words.pin
  const bucket = unit === undefined || chance === undefined ? '' : words.bucket(unit, chance)
  const rule = rules[number - 1]
  if (step === 'chance' || !rule) return words.chance(bucket)
  return words.rule(labels.ruleText(number, conditionText(rule), labels.outcome(rule.then, undefined)), bucket)
}

interface BucketStripProps {
  readonly unit: number
  readonly chance: number
}

/** Shows a bucket between 0 and 100%. The sentence above it has the same facts. */
function BucketStrip({ unit, chance }: BucketStripProps) {
  return (
    <div aria-hidden>
      <div className={classes['strip']}>
        <div className={classes['stripA']} style={{ width: `${chance * 100}%` }} />
        <div className={classes['bucket']} style={{ insetInlineStart: `${unit * 100}%` }} />
      </div>
      <Group justify="space-between" mt={8}>
        <Text size="sm" c="dimmed">
          {chance > 0 && words.sideA(percentText(chance))}
        </Text>
        <Text size="sm" c="dimmed">
          {chance < 1 && words.sideB(percentText(chance))}
        </Text>
      </Group>
    </div>
  )
}

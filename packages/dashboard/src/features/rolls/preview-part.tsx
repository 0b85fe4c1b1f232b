import { Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMemo } from 'react'
import { labels } from './labels.ts'
import {
  contextsOf,
  type Deciding,
  type Preview,
  previewOf,
  type PreviewStep,
  sampleUnits,
  sampleUsers,
} from './preview.ts'
import classes from './rolls.module.css'
import type { Sides } from '../../data/rolls/labels.ts'

const { preview: words } = labels

const debounceMs = 150

/** Sample contexts as a person typed them. They stay in the memory of the page. */
export interface SampleContexts {
  readonly text: string
  readonly setText: (text: string) => void
}

interface PreviewPartProps {
  readonly name: string
  /** Undefined: what is typed cannot decide yet. */
  readonly deciding: Deciding | undefined
  readonly sides: Sides | undefined
  readonly samples: SampleContexts
}

/** Shows which side sample users would get, and which step decides for how many of them. */
export function PreviewPart({ name, deciding, sides, samples }: PreviewPartProps) {
  const units = useMemo(() => sampleUnits(name), [name])
  const { contexts, problem } = useMemo(() => contextsOf(samples.text), [samples.text])
  const [input] = useDebouncedValue(
    useMemo(() => ({ deciding, contexts }), [deciding, contexts]),
    debounceMs,
  )
  const preview = useMemo(() => input.deciding && previewOf(input.deciding, input.contexts, units), [input, units])
  const hasRules = (deciding?.rules ?? []).length > 0
  return (
    <Stack gap="xs">
      <Text fw={500}>{words.title}</Text>
      <div role="status">
        {preview && input.deciding ? (
          <Result preview={preview} deciding={input.deciding} sides={sides} hasContexts={input.contexts.length > 0} />
        ) : (
          <Text size="sm" c="dimmed">
            {words.incomplete}
          </Text>
        )}
      </div>
      {(hasRules || samples.text !== '') && (
        <Textarea
          label={words.contexts}
          description={words.contextsHint}
          placeholder={words.contextsExample}
          classNames={{ input: 'mono' }}
          minRows={2}
          maxRows={8}
          spellCheck={false}
          autoComplete="off"
          value={samples.text}
          error={problem}
          onChange={(event) => samples.setText(event.currentTarget.value)}
        />
      )}
    </Stack>
  )
}

interface ResultProps {
  readonly preview: Preview
  readonly deciding: Deciding
  readonly sides: Sides | undefined
  readonly hasContexts: boolean
}

function Result({ preview: { steps, a, withoutAttributes }, deciding, sides, hasContexts }: ResultProps) {
  const { rules = [], pinned = { a: 0, b: 0 } } = deciding
  const texts = steps.map((step) => words.stepText(words.step(step.by, step.rule), step.a, step.a + step.b, sides))
  return (
    <Stack gap={6}>
      <Text>{words.sentence(a, sampleUsers, pinned.a + pinned.b, sides)}</Text>
      <StepBar steps={steps} texts={texts} />
      {steps.length > 1 && (
        <ul className={`plain-list ${classes['legend']}`}>
          {texts.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {rules.length > 0 && withoutAttributes > 0 && (
        <Text size="sm" c="dimmed">
          {hasContexts ? words.someWithout(withoutAttributes) : words.noContexts(sampleUsers)}
        </Text>
      )}
    </Stack>
  )
}

interface StepBarProps {
  readonly steps: readonly PreviewStep[]
  readonly texts: readonly string[]
}

/** Shows the steps side by side, each as wide as the users that it decides, and in each those who get A and B. */
function StepBar({ steps, texts }: StepBarProps) {
  return (
    <div className={classes['steps']} role="img" aria-label={words.bar(texts)}>
      {steps.map(
        ({ by, rule = 0, a, b }, at) =>
          a + b > 0 && (
            <span key={`${by}-${rule}`} className={classes['step']} style={{ flexGrow: a + b }} title={texts[at]}>
              {a > 0 && <span className={classes['stepA']} style={{ flexGrow: a }} />}
              {b > 0 && <span className={classes['stepB']} style={{ flexGrow: b }} />}
            </span>
          ),
      )}
    </div>
  )
}

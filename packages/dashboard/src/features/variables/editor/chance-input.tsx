import { Button, Group, Input, NumberInput, Slider, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { chanceOf, chanceSentence, percentOf } from '../../rolls/chance.ts'
import { labels } from './labels.ts'
import classes from './chance-input.module.css'

interface ChanceInputProps {
  /** @default 'Chance of A' */
  readonly label?: string
  /** 0 to 1. */
  readonly value: number
  readonly onChange: (chance: number) => void
}

/** In percent, as rollouts usually go. */
const steps = [0, 1, 5, 10, 25, 50, 100]

/** The chance of A: a slider for the whole percents, a number for any, and the usual steps. */
export function ChanceInput({ label = labels.chance, value, onChange }: ChanceInputProps) {
  const id = useId()
  const percent = percentOf(value)
  // What is typed may not be a number yet, such as "0.", and stands for the value that it was typed at.
  const [typed, setTyped] = useState<{ readonly text: number | string; readonly value: number }>()
  const change = (text: number | string): void => {
    const chance = typeof text === 'number' ? chanceOf(Math.min(100, Math.max(0, text))) : value
    setTyped({ text, value: chance })
    if (chance !== value) onChange(chance)
  }
  return (
    <Input.Wrapper label={label} labelElement="div">
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
          w={120}
          suffix=" %"
          min={0}
          max={100}
          decimalScale={4}
          value={typed?.value === value ? typed.text : percent}
          onChange={change}
        />
      </Group>
      <Group gap={6} mt="xs" role="group" aria-label={labels.usualChances(label)}>
        {steps.map((step) => (
          <Button
            key={step}
            size="compact-sm"
            variant={step === percent ? 'light' : 'default'}
            aria-pressed={step === percent}
            onClick={() => change(step)}
          >
            {step} %
          </Button>
        ))}
      </Group>
      <Text id={id} size="sm" c="dimmed" mt={4}>
        {chanceSentence(value)}
      </Text>
    </Input.Wrapper>
  )
}

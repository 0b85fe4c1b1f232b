import { Group, Input, NumberInput, Slider, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { chanceOf, chanceSentence, percentOf } from '../../base/chance.ts'
import classes from './chance-input.module.css'

interface ChanceInputProps {
  /** 0 to 1. */
  readonly value: number
  readonly onChange: (chance: number) => void
}

/** The chance of A: a slider for the whole percents, a number for any. */
export function ChanceInput({ value, onChange }: ChanceInputProps) {
  const id = useId()
  const percent = percentOf(value)
  // What is typed may not be a number yet, such as "0.".
  const [typed, setTyped] = useState<number | string>(percent)
  const change = (next: number | string): void => {
    setTyped(next)
    if (typeof next === 'number') onChange(chanceOf(Math.min(100, Math.max(0, next))))
  }
  return (
    <Input.Wrapper label="Chance of A" labelElement="div" size="md">
      <Group wrap="nowrap" gap="lg">
        <Slider
          className={classes['slider']}
          thumbLabel="Chance of A, by the slider"
          label={null}
          thumbProps={{ 'aria-describedby': id }}
          value={percent}
          onChange={change}
        />
        <NumberInput
          aria-label="Chance of A in percent"
          aria-describedby={id}
          w={120}
          suffix=" %"
          min={0}
          max={100}
          decimalScale={4}
          value={typed}
          onChange={change}
        />
      </Group>
      <Text id={id} size="sm" c="dimmed" mt={4}>
        {chanceSentence(value)}
      </Text>
    </Input.Wrapper>
  )
}

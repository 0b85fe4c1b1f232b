import { Button, Group, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import {
  type GeneratedForm,
  generatedForms,
  generatedLengths,
  generatedValue,
  problemOfGenerated,
} from '@rollkey/contract/rules'
import { useState } from 'react'
import { labels } from './labels.ts'

const { generate: words } = labels

interface GenerateValueProps {
  readonly onGenerate: (value: string) => void
}

/** Generates a value. From the first one on, a person can choose another form and length. */
export function GenerateValue({ onGenerate }: GenerateValueProps) {
  const [isChoosing, setChoosing] = useState(false)
  const [form, setForm] = useState<GeneratedForm>('base64url')
  const [length, setLength] = useState<number | string>('')
  const [alphabet, setAlphabet] = useState('')
  const range = generatedLengths[form]
  const options = { form, alphabet, length: length === '' || !range ? undefined : Number(length) }
  const problem = problemOfGenerated(options)
  return (
    <Group gap="xs" align="flex-start" role="group" aria-label={words.title}>
      <Button
        size="xs"
        variant="default"
        disabled={problem !== undefined}
        onClick={() => {
          onGenerate(generatedValue(options))
          setChoosing(true)
        }}
      >
        {words.button}
      </Button>
      {isChoosing && (
        <FormSelect
          form={form}
          onChange={(chosen) => {
            setForm(chosen)
            setLength('')
          }}
        />
      )}
      {isChoosing && range && (
        <NumberInput
          size="xs"
          w={96}
          aria-label={form === 'passphrase' ? words.words : words.length}
          placeholder={String(range.usual)}
          allowDecimal={false}
          value={length}
          error={problem === 'length' && words.wrongLength(range.min, range.max)}
          onChange={setLength}
        />
      )}
      {isChoosing && form === 'alphabet' && (
        <TextInput
          size="xs"
          aria-label={words.alphabet}
          placeholder={words.alphabetExample}
          classNames={{ input: 'mono' }}
          autoComplete="off"
          spellCheck={false}
          value={alphabet}
          error={alphabet !== '' && problem === 'alphabet' && words.wrongAlphabet}
          onChange={({ currentTarget }) => setAlphabet(currentTarget.value)}
        />
      )}
    </Group>
  )
}

interface FormSelectProps {
  readonly form: GeneratedForm
  readonly onChange: (form: GeneratedForm) => void
}

function FormSelect({ form, onChange }: FormSelectProps) {
  return (
    <NativeSelect
      size="xs"
      aria-label={words.form}
      data={generatedForms.map((value) => ({ value, label: words.forms[value] }))}
      value={form}
      onChange={({ currentTarget }) =>
        onChange(generatedForms.find((each) => each === currentTarget.value) ?? 'base64url')
      }
    />
  )
}

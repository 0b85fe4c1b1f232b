import { TextInput } from '@mantine/core'
import { limits } from '@rollkey/contract/rules'
import { useState } from 'react'
import { FormDrawer } from '../../ui/form.tsx'
import { labels } from './labels.ts'
import { type RollOfStage, SettingForm } from './setting-form.tsx'

const { sideNames: words } = labels

interface SettingDrawerProps {
  readonly roll: RollOfStage
  /** The revision of the stage. */
  readonly revision: number
  readonly opened: boolean
  readonly onClose: () => void
}

/** Names the sides of a roll. */
export function LabelsDrawer({ opened, onClose, ...props }: SettingDrawerProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={words.title(props.roll.variable.name)}>
      {opened && <LabelsForm {...props} onClose={onClose} />}
    </FormDrawer>
  )
}

function isTooLong(text: string): boolean {
  return text.length > limits.labelCharacters
}

/** Returns what is wrong with the names, by side. */
function problemsOf(a: string, b: string): { readonly a?: string; readonly b?: string } {
  if (isTooLong(a)) return { a: words.tooLong }
  if (isTooLong(b)) return { b: words.tooLong }
  if (a === b) return a === '' ? {} : { b: words.same }
  if (a === '') return { a: words.both }
  return b === '' ? { b: words.both } : {}
}

function LabelsForm({ roll, revision, onClose }: Omit<SettingDrawerProps, 'opened'>) {
  const { stage, variable } = roll
  const [stored] = useState(variable.labels ?? { a: '', b: '' })
  const [seen] = useState(revision)
  const [draft, setDraft] = useState(stored)
  const [isChecked, setChecked] = useState(false)
  const names = { a: draft.a.trim(), b: draft.b.trim() }
  const problems = problemsOf(names.a, names.b)
  const isWrong = problems.a !== undefined || problems.b !== undefined
  const plain = { autoComplete: 'off', spellCheck: false }
  return (
    <SettingForm
      roll={roll}
      seen={seen}
      lead={words.lead}
      changes={isWrong ? undefined : { labels: names.a === '' ? null : names }}
      isUnchanged={names.a === stored.a && names.b === stored.b}
      onCheck={() => setChecked(true)}
      savedText={words.saved(variable.name, stage.name)}
      onClose={onClose}
    >
      <TextInput
        {...plain}
        label={words.a}
        placeholder={words.exampleA}
        value={draft.a}
        error={isChecked && problems.a}
        onChange={(event) => setDraft({ ...draft, a: event.currentTarget.value })}
        data-autofocus
      />
      <TextInput
        {...plain}
        label={words.b}
        placeholder={words.exampleB}
        value={draft.b}
        error={isChecked && problems.b}
        onChange={(event) => setDraft({ ...draft, b: event.currentTarget.value })}
      />
    </SettingForm>
  )
}

import { Stack, Textarea } from '@mantine/core'
import { type CompletePins, sides as sideNames } from '@rollkey/contract/rules'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ask, useScope } from '../../session/scope.ts'
import { FormDrawer } from '../../ui/form.tsx'
import { RowsSkeleton } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'
import { pinsDraftOf, pinsOf } from './pins-draft.ts'
import { PreviewPart, type SampleContexts } from './preview-part.tsx'
import { type RollOfStage, SettingForm } from './setting-form.tsx'

const { pins: words } = labels

interface StoredPins extends CompletePins {
  /** The revision of the stage at which they were read. */
  readonly revision: number
}

interface PinsDrawerProps {
  readonly roll: RollOfStage
  readonly samples: SampleContexts
  readonly isReadOnly: boolean
  readonly opened: boolean
  readonly onClose: () => void
}

/** Shows the pinned seeds, and changes them. They identify people, so only the open drawer has them. */
export function PinsDrawer({ opened, onClose, ...props }: PinsDrawerProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={words.title(props.roll.variable.name)}>
      {opened && <PinsLoader {...props} onClose={onClose} />}
    </FormDrawer>
  )
}

function PinsLoader(props: Omit<PinsDrawerProps, 'opened'>) {
  const { place, variable } = props.roll
  const scope = useScope()
  const [stored, setStored] = useState<StoredPins>()
  // A result would stay in the query client's memory, so the mutation has none.
  const { mutate, error } = useMutation({
    mutationFn: async () => setStored(await ask(scope, 'pins', { ...place, name: variable.name })),
  })
  useEffect(() => mutate(), [mutate])
  if (!stored) return error ? <ErrorNotice error={error} /> : <RowsSkeleton rows={6} />
  return <PinsForm {...props} stored={stored} />
}

interface PinsFormProps extends Omit<PinsDrawerProps, 'opened'> {
  readonly stored: StoredPins
}

function PinsForm({ roll, samples, isReadOnly, stored, onClose }: PinsFormProps) {
  const { stage, variable, chance, sides } = roll
  const [initial] = useState(() => pinsDraftOf(stored))
  const [draft, setDraft] = useState(initial)
  const { pins, problems } = useMemo(() => pinsOf(draft, sides), [draft, sides])
  const isWrong = problems.a !== undefined || problems.b !== undefined
  const { rules } = variable
  const deciding = useMemo(
    () => (isWrong ? undefined : { chance, rules, pinned: { a: pins.a.length, b: pins.b.length } }),
    [isWrong, chance, rules, pins],
  )
  const lists = sideNames.map((side) => (
    <Textarea
      key={side}
      data-autofocus={side === 'a' || undefined}
      label={words.side(labels.side(side, sides))}
      description={words.hint(pins[side].length)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      classNames={{ input: 'mono' }}
      minRows={3}
      maxRows={10}
      readOnly={isReadOnly}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
      value={draft[side]}
      error={problems[side]}
      onChange={(event) => setDraft({ ...draft, [side]: event.currentTarget.value })}
    />
  ))
  if (isReadOnly) return <Stack>{lists}</Stack>
  return (
    <SettingForm
      roll={roll}
      seen={stored.revision}
      lead={words.lead}
      changes={isWrong ? undefined : { pins: pins.a.length + pins.b.length === 0 ? null : pins }}
      isUnchanged={draft.a === initial.a && draft.b === initial.b}
      onCheck={() => {}}
      savedText={words.saved(variable.name, stage.name)}
      onClose={onClose}
    >
      {lists}
      <PreviewPart name={variable.name} deciding={deciding} sides={sides} samples={samples} />
    </SettingForm>
  )
}

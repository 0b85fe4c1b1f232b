import type { Change } from '@rollkey/sdk/core'
import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { instantOf, isTimeZone, wallTimeOf } from '@rollkey/contract/rules'
import { readerZone } from '../../lib/time.ts'
import { ask, useScope } from '../../session/scope.ts'
import { Modal } from '../../ui/dialog.tsx'
import { SubmitForm } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { labels } from './labels.ts'
import { placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { stepsFrom } from '../../parts/plans/ramp-draft.ts'
import { ZoneField } from '../../ui/zone-field.tsx'
import { labels as planLabels } from '../../parts/plans/labels.ts'

const { reschedule: words } = labels

interface RescheduleDialogProps {
  readonly proposal: Change
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes when a change is applied, or when its ramp begins. */
export function RescheduleDialog(props: RescheduleDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={words.title}>
      <RescheduleForm {...props} />
    </Modal>
  )
}

function RescheduleForm({ proposal, onClose }: RescheduleDialogProps) {
  const { id, digest, steps, notOn, applyAtMs } = proposal
  const scope = useScope()
  const place = placeOf(proposal)
  const initialZone = proposal.zone ?? readerZone()
  const initialMs = steps?.[0]?.atMs ?? applyAtMs
  const form = useForm({
    initialValues: { time: initialMs === undefined ? '' : wallText(initialMs, initialZone), zone: initialZone },
    validate: ({ time, zone }) => problemsOf(time, zone, steps !== undefined),
  })
  const reschedule = useProposalChange(place, async ({ time, zone }: typeof form.values) => {
    const atMs = time === '' ? null : instantOf(wallOf(time), zone, 'first')
    const when = steps && atMs !== null ? { steps: stepsFrom(steps, atMs, zone, notOn) } : { applyAtMs: atMs }
    await ask(scope, 'changeReschedule', { ...place, id, digest, ...when, zone: atMs === null ? null : zone })
    onClose()
    toast.success(words.done)
  })
  return (
    <SubmitForm form={form} mutation={reschedule} label={words.button}>
      <Stack gap="sm">
        <Text>{steps ? words.rampText : words.text}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          <TextInput
            {...form.getInputProps('time')}
            type="datetime-local"
            label={steps ? planLabels.rampForm.first : planLabels.rampForm.time}
            description={steps ? undefined : words.empty}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data-autofocus
          />
          <ZoneField {...form.getInputProps('zone')} label={planLabels.rampForm.zone} />
        </SimpleGrid>
      </Stack>
    </SubmitForm>
  )
}

function wallOf(text: string): number {
  return Date.parse(`${text}Z`)
}

function wallText(atMs: number, zone: string): string {
  return new Date(wallTimeOf(atMs, zone)).toISOString().slice(0, 16)
}

/** Returns what is wrong with a time in a zone. */
function problemsOf(time: string, zone: string, isRamp: boolean) {
  if (!isTimeZone(zone)) return { zone: planLabels.rampForm.wrongZone }
  if (time === '') return isRamp ? { time: words.noTime } : {}
  return instantOf(wallOf(time), zone, 'first') < Date.now() ? { time: planLabels.rampForm.passedStart } : {}
}

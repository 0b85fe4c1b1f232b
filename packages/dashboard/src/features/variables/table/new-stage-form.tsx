import { useForm } from '@mantine/form'
import { placeSlug, required } from '../../../lib/validation.ts'
import { labels as placeLabels } from '../../../parts/projects/labels.ts'
import { SlugFields, SubmitForm } from '../../../ui/form.tsx'
import { labels } from './labels.ts'

export type NewStage = {
  readonly name: string
  readonly slug: string
}

interface NewStageFormProps {
  readonly mutation: { mutate(stage: NewStage): void; readonly error: unknown; readonly isPending: boolean }
}

/** Creates a stage. */
export function NewStageForm({ mutation }: NewStageFormProps) {
  const form = useForm<NewStage>({
    initialValues: { name: '', slug: '' },
    validate: { name: required(placeLabels.nameMissing), slug: placeSlug },
  })
  return (
    <SubmitForm form={form} mutation={mutation} label={labels.createStage}>
      <SlugFields what="stage" name={form.getInputProps('name')} slug={form.getInputProps('slug')} />
    </SubmitForm>
  )
}

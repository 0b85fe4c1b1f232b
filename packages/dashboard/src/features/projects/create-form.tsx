import { useForm } from '@mantine/form'
import { placeSlug, required } from '../../lib/validation.ts'
import { SlugFields } from '../../ui/slug-fields.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'

export type NewPlace = {
  readonly name: string
  readonly slug: string
}

interface CreateFormProps {
  readonly what: 'Project' | 'Stage'
  readonly mutation: { mutate(place: NewPlace): void; readonly error: unknown; readonly isPending: boolean }
}

/** A new project or stage. */
export function CreateForm({ what, mutation }: CreateFormProps) {
  const form = useForm<NewPlace>({
    initialValues: { name: '', slug: '' },
    validate: { name: required('a name'), slug: placeSlug },
  })
  return (
    <SubmitForm form={form} mutation={mutation} label={`Create ${what.toLowerCase()}`}>
      <SlugFields what={what} name={form.getInputProps('name')} slug={form.getInputProps('slug')} />
    </SubmitForm>
  )
}

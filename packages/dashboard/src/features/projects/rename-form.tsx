import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { required } from '../../lib/validation.ts'
import { usePlaceChange } from './use-project-change.ts'
import type { PlaceChange } from './queries.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'

interface RenameFormProps {
  readonly name: string
  readonly change: (change: PlaceChange) => Promise<void>
  readonly onDone: () => void
}

export function RenameForm({ name, change, onDone }: RenameFormProps) {
  const form = useForm({ initialValues: { name }, validate: { name: required('a name') } })
  const rename = usePlaceChange(async (values: typeof form.values) => {
    await change({ name: values.name.trim() })
    onDone()
  })
  return (
    <SubmitForm form={form} mutation={rename} label="Rename">
      <TextInput
        {...form.getInputProps('name')}
        label="Name"
        description="What people see. The slug, which commands use, stays."
        maxLength={128}
        autoComplete="off"
        required
        data-autofocus
      />
    </SubmitForm>
  )
}

import type { ClientKey } from '@rollkey/sdk/core'
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { MoreFields } from '../../ui/more-fields.tsx'
import { toast } from '../../ui/toast.tsx'
import { PlaceFields } from '../../parts/credentials/scope-fields.tsx'
import { useLikelyProject } from '../../parts/credentials/use-listed-project.ts'
import { emptyKey, keyChecks, type KeyDraft, keyRequest, pageChoices } from './key-draft.ts'
import { labels } from './labels.ts'
import { clientKeysQuery, createClientKey } from '../../data/client-keys.ts'

const words = labels.create

interface NewKeyProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onCreated: (key: ClientKey) => void
}

export function NewKey({ opened, onClose, onCreated }: NewKeyProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={words.button}>
      <NewKeyForm onCreated={onCreated} />
    </FormDrawer>
  )
}

function NewKeyForm({ onCreated }: Pick<NewKeyProps, 'onCreated'>) {
  const may = useMay()
  const scope = useScope()
  const queryClient = useQueryClient()
  const initialValues = { ...emptyKey, project: useLikelyProject() }
  const form = useForm<KeyDraft>({ initialValues, validate: keyChecks(may) })
  const create = useMutation({
    mutationFn: (draft: KeyDraft) => createClientKey(scope, keyRequest(draft)),
    onSuccess: async (key) => {
      await queryClient.invalidateQueries(clientKeysQuery(scope))
      toast.success(words.done(key.name))
      onCreated(key)
    },
  })
  return (
    <SubmitForm form={form} mutation={create} label={words.submit}>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.name}
        description={words.nameUse}
        maxLength={128}
        autoComplete="off"
        required
        data-autofocus
      />
      <PlaceFields form={form} />
      <NativeSelect {...form.getInputProps('pages')} label={words.origins} data={pageChoices} />
      {form.values.pages === 'pages' && (
        <Textarea
          {...form.getInputProps('origins')}
          label={words.list}
          description={words.listUse}
          spellCheck={false}
          autoCapitalize="none"
          autosize
          minRows={2}
          required
        />
      )}
      <MoreFields label={words.more} isOpen={false}>
        <TextInput
          {...form.getInputProps('evaluations')}
          label={words.evaluations}
          description={words.evaluationsUse}
          inputMode="numeric"
          autoComplete="off"
        />
      </MoreFields>
    </SubmitForm>
  )
}

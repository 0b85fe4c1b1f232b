import type { Trust } from '@rollkey/sdk/core'
import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { SubmitForm } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleField } from '../../parts/credentials/scope-fields.tsx'
import { labels } from './labels.ts'
import { trustsQuery, updateTrust } from '../../data/trusts.ts'
import { changesOf, draftOf, editChecks, type TrustDraft } from './trust-draft.ts'
import { IssuerFields, KeysField, TermFields } from './trust-fields.tsx'

interface EditTrustProps {
  readonly trust: Trust
  readonly onCancel: () => void
  readonly onSaved: (trust: Trust) => void
}

/** Changes a trust, except its scope. */
export function EditTrust({ trust, onCancel, onSaved }: EditTrustProps) {
  const may = useMay()
  const scope = useScope()
  const queryClient = useQueryClient()
  const form = useForm<TrustDraft>({ initialValues: draftOf(trust), validate: editChecks(may) })
  const update = useMutation({
    mutationFn: (draft: TrustDraft) => updateTrust(scope, trust.id, changesOf(trust, draft)),
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries(trustsQuery(scope))
      toast.success(labels.edit.done(saved.name))
      onSaved(saved)
    },
  })
  return (
    <SubmitForm
      form={form}
      mutation={update}
      label={labels.edit.submit}
      isIncomplete={!form.isDirty()}
      onCancel={onCancel}
    >
      <Text>{labels.edit.text}</Text>
      <TextInput {...form.getInputProps('name')} label={labels.name} maxLength={128} autoComplete="off" required />
      <IssuerFields form={form} />
      <KeysField form={form} isRequired={false} />
      <RoleField form={form} />
      <TermFields form={form} hasStandardAudience={false} />
    </SubmitForm>
  )
}

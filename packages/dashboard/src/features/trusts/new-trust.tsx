import type { Trust } from '@rollkey/sdk/core'
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { trustPresets } from '@rollkey/contract/rules'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { Command } from '../../ui/copy.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { ScopeFields } from '../../parts/credentials/scope-fields.tsx'
import { labels } from './labels.ts'
import { createTrust, trustsQuery } from '../../data/trusts.ts'
import { emptyTrust, otherPlatform, presetOf, trustChecks, type TrustDraft, trustRequest } from './trust-draft.ts'
import { IssuerFields, KeysField, type OfFormProps, TermFields } from './trust-fields.tsx'

const words = labels.create

interface NewTrustProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onCreated: (trust: Trust) => void
}

export function NewTrust({ opened, onClose, onCreated }: NewTrustProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={words.button}>
      <NewTrustForm onCreated={onCreated} />
    </FormDrawer>
  )
}

const platforms = [
  ...trustPresets.map(({ id, title }) => ({ value: id, label: title })),
  { value: otherPlatform, label: words.other },
]

function NewTrustForm({ onCreated }: Pick<NewTrustProps, 'onCreated'>) {
  const may = useMay()
  const scope = useScope()
  const queryClient = useQueryClient()
  const form = useForm<TrustDraft>({ initialValues: emptyTrust, validate: trustChecks(may) })
  const create = useMutation({
    mutationFn: (draft: TrustDraft) => createTrust(scope, trustRequest(draft)),
    onSuccess: async (trust) => {
      await queryClient.invalidateQueries(trustsQuery(scope))
      toast.success(words.done(trust.name))
      onCreated(trust)
    },
  })
  const preset = presetOf(form.values)
  return (
    <SubmitForm form={form} mutation={create} label={words.submit}>
      <NativeSelect {...form.getInputProps('platform')} label={words.platform} data={platforms} data-autofocus />
      {preset ? <PresetFields form={form} /> : <IssuerFields form={form} />}
      {(preset === undefined || preset.isSelfHosted) && (
        <KeysField form={form} isRequired={preset?.needsKeys === true} />
      )}
      <ScopeFields form={form} />
      <TermFields form={form} hasStandardAudience />
      <TextInput {...form.getInputProps('name')} label={labels.name} maxLength={128} autoComplete="off" />
    </SubmitForm>
  )
}

/** Asks for what identifies a workload of the platform. */
function PresetFields({ form }: OfFormProps) {
  const { id, fields = [] } = presetOf(form.values) ?? {}
  const inputs = fields.map(({ name, isRequired, example, standard }) => (
    <TextInput
      key={name}
      {...form.getInputProps(`fields.${name}`)}
      label={words.fields[name] ?? name}
      description={(isRequired ? words.example : words.optional)(example)}
      placeholder={standard}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      required={isRequired && standard === undefined}
    />
  ))
  return (
    <>
      {id === 'github' && (
        <Stack gap="xs">
          <Text size="sm">{words.githubIds}</Text>
          <Command what={words.githubCommand} text={words.githubCommandText} />
        </Stack>
      )}
      {inputs}
    </>
  )
}

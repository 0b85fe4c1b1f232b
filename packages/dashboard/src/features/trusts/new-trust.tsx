import type { Trust } from '@rollkey/sdk/core'
import { Anchor, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type PresetField, trustPresets } from '@rollkey/contract/rules'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { Command } from '../../ui/copy.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { MoreFields } from '../../ui/more-fields.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleField, ScopeFields } from '../../parts/credentials/scope-fields.tsx'
import { useLikelyProject } from '../../parts/credentials/use-listed-project.ts'
import { labels } from './labels.ts'
import { createTrust, trustsQuery } from '../../data/trusts.ts'
import {
  emptyTrust,
  isNeeded,
  otherPlatform,
  presetOf,
  repositoryIn,
  trustChecks,
  type TrustDraft,
  trustRequest,
} from './trust-draft.ts'
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
  const initialValues = { ...emptyTrust, project: useLikelyProject() }
  const form = useForm<TrustDraft>({ initialValues, validate: trustChecks(may) })
  const create = useMutation({
    mutationFn: (draft: TrustDraft) => createTrust(scope, trustRequest(draft)),
    onSuccess: async (trust) => {
      await queryClient.invalidateQueries(trustsQuery(scope))
      toast.success(words.done(trust.name))
      onCreated(trust)
    },
  })
  const preset = presetOf(form.values)
  const needsKeys = preset?.needsKeys === true
  return (
    <SubmitForm form={form} mutation={create} label={words.submit}>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.name}
        description={words.nameUse}
        maxLength={128}
        autoComplete="off"
        data-autofocus
      />
      <NativeSelect {...form.getInputProps('platform')} label={words.platform} data={platforms} />
      {preset?.id === 'github' && <RepositoryField form={form} />}
      {preset ? <PresetFields form={form} fields={preset.fields.filter(isNeeded)} /> : <IssuerFields form={form} />}
      {needsKeys && <KeysField form={form} isRequired />}
      <ScopeFields form={form} />
      <RoleField form={form} />
      <MoreFields label={words.more} isOpen={false}>
        {preset && <PresetFields form={form} fields={preset.fields.filter((field) => !isNeeded(field))} />}
        {!needsKeys && preset?.isSelfHosted !== false && <KeysField form={form} isRequired={false} />}
        <TermFields form={form} hasStandardAudience />
      </MoreFields>
    </SubmitForm>
  )
}

/** Asks for the repository by its name, and says how to find its ids, which only GitHub knows. */
function RepositoryField({ form }: OfFormProps) {
  const repository = repositoryIn(form.values.repository)
  return (
    <>
      <TextInput
        {...form.getInputProps('repository')}
        label={words.repository}
        description={words.repositoryUse}
        placeholder={words.repositoryExample}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
      {repository !== undefined && (
        <Stack gap="xs">
          <Text size="sm">{words.githubIds}</Text>
          <Command what={words.githubCommand} text={words.githubCommandText(repository)} />
          <Text size="sm">
            {words.githubPublic}{' '}
            <Anchor href={`https://api.github.com/repos/${repository}`} target="_blank" rel="noreferrer">
              {words.githubLink(repository)}
            </Anchor>
          </Text>
        </Stack>
      )}
    </>
  )
}

interface PresetFieldsProps extends OfFormProps {
  readonly fields: readonly PresetField[]
}

/** Asks for what identifies a workload of the platform. */
function PresetFields({ form, fields }: PresetFieldsProps) {
  return fields.map(({ name, isRequired, example, standard }) => (
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
}

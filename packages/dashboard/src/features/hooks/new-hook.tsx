import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createHook, hooksQuery } from '../../data/hooks.ts'
import { ScopeFields } from '../../parts/credentials/scope-fields.tsx'
import { ShownSecret } from '../../parts/credentials/shown-secret.tsx'
import { labels as credentialLabels } from '../../parts/credentials/labels.ts'
import { useListedProject } from '../../parts/credentials/use-listed-project.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { emptyHook, formatChoices, hookChecks, type HookDraft, hookRequest } from './hook-draft.ts'
import { EventFields, useUrlRefusal } from './hook-fields.tsx'
import { labels } from './labels.ts'

const words = labels.create

interface NewHookProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** Receives the id. */
  readonly onCreated: (id: string) => void
}

/** Creates a webhook. Shows the secret of one for a program once; messages in a chat have no signature. */
export function NewHook({ opened, onClose, onCreated }: NewHookProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [created, setCreated] = useState<{ readonly id: string; readonly name: string; readonly secret: string }>()
  // The result of a mutation would stay in the query client's memory, so this one has none.
  const create = useMutation({
    mutationFn: async (draft: HookDraft) => {
      const request = hookRequest(draft)
      const { id, secret } = await createHook(scope, request)
      await queryClient.invalidateQueries(hooksQuery(scope))
      onClose()
      if (draft.format === 'standard') return setCreated({ id, name: request.name, secret })
      toast.success(words.done(request.name))
      onCreated(id)
    },
  })
  return (
    <>
      <FormDrawer opened={opened} onClose={onClose} title={words.button}>
        <NewHookForm mutation={create} />
      </FormDrawer>
      {created && (
        <SigningSecret
          title={labels.secret.created(created.name)}
          text={labels.secret.text}
          secret={created.secret}
          onDone={() => {
            setCreated(undefined)
            onCreated(created.id)
          }}
        />
      )}
    </>
  )
}

interface SigningSecretProps {
  readonly title: string
  readonly text: string
  readonly secret: string
  /** What holds of the secret before it. Absent: there was none. */
  readonly former?: string
  readonly onDone: () => void
}

/** Shows a signing secret once. */
export function SigningSecret({ former, ...shown }: SigningSecretProps) {
  return (
    <ShownSecret {...shown} label={labels.secret.label} done={credentialLabels.saved}>
      <Text>{labels.secret.use}</Text>
      {former !== undefined && <Text>{former}</Text>}
    </ShownSecret>
  )
}

interface NewHookFormProps {
  readonly mutation: { mutate(draft: HookDraft): void; readonly error: unknown; readonly isPending: boolean }
}

function NewHookForm({ mutation }: NewHookFormProps) {
  const may = useMay()
  const project = useListedProject()
  const initialValues: HookDraft = { ...emptyHook, ...(project !== undefined && { scope: 'project', project }) }
  const form = useForm<HookDraft>({ initialValues, validate: hookChecks(may) })
  const error = useUrlRefusal(form, mutation.error)
  return (
    <SubmitForm form={form} mutation={{ ...mutation, error }} label={words.submit}>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.name}
        description={words.nameUse}
        maxLength={128}
        autoComplete="off"
        required
        data-autofocus
      />
      <NativeSelect
        {...form.getInputProps('format')}
        label={labels.format}
        description={words.formatUse}
        data={formatChoices}
      />
      <TextInput
        {...form.getInputProps('url')}
        label={words.url}
        description={words.urlUse}
        type="url"
        autoComplete="off"
        required
      />
      <ScopeFields form={form} />
      <EventFields form={form} />
    </SubmitForm>
  )
}

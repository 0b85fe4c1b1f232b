import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { Command, CopyField } from '../../ui/copy.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { projectsQuery } from '../projects/queries.ts'
import { labels } from './labels.ts'
import {
  emptyToken,
  lifetimes,
  scopeChoices,
  tokenChecks,
  type TokenDraft,
  tokenRequest,
  type TokenRequest,
} from './new-token-values.ts'
import { createServiceToken, serviceTokensQuery } from './queries.ts'
import { Modal } from '../../ui/dialog.tsx'

interface NewTokenProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Creates a token and shows it once. Only the state of this component has it. */
export function NewToken({ opened, onClose }: NewTokenProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [created, setCreated] = useState<{ readonly name: string; readonly token: string }>()
  // The result of a mutation would stay in the query client's memory, so this one has none.
  const create = useMutation({
    mutationFn: async (request: TokenRequest) => {
      setCreated({ name: request.name, token: await createServiceToken(scope, request) })
    },
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries(serviceTokensQuery(scope))
    },
  })
  return (
    <>
      <FormDrawer opened={opened} onClose={onClose} title={labels.create.title}>
        <NewTokenForm mutation={create} />
      </FormDrawer>
      {created && <ShownToken {...created} onDone={() => setCreated(undefined)} />}
    </>
  )
}

interface ShownTokenProps {
  readonly name: string
  readonly token: string
  readonly onDone: () => void
}

function stay(): void {}

/** Shows the token until the person says that they saved it. Nothing else closes it, because no one can see it again. */
export function ShownToken({ name, token, onDone }: ShownTokenProps) {
  return (
    <Modal
      opened
      onClose={stay}
      size="lg"
      title={labels.created.title(name)}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Notice kind="success">{labels.created.text}</Notice>
        <CopyField label={labels.created.token} value={token} />
        <Text>{labels.created.environment}</Text>
        <Command what={labels.created.commandWhat} text={`export ROLLKEY_TOKEN=${token}`} />
        <Button onClick={onDone}>{labels.created.done}</Button>
      </Stack>
    </Modal>
  )
}

interface NewTokenFormProps {
  readonly mutation: { mutate(request: TokenRequest): void; readonly error: unknown; readonly isPending: boolean }
}

function NewTokenForm({ mutation }: NewTokenFormProps) {
  const managesAll = useMay()('manage')
  const form = useForm<TokenDraft>({ initialValues: emptyToken, validate: tokenChecks })
  const create = { ...mutation, mutate: (draft: TokenDraft) => mutation.mutate(tokenRequest(draft)) }
  return (
    <SubmitForm form={form} mutation={create} label={labels.create.submit}>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.create.name}
        description={labels.create.nameUse}
        maxLength={128}
        autoComplete="off"
        required
        data-autofocus
      />
      <NativeSelect
        {...form.getInputProps('scope')}
        label={labels.create.scope}
        data={scopeChoices.filter(({ value }) => value !== 'organization' || managesAll)}
      />
      {form.values.scope !== 'organization' && <ScopeFields form={form} />}
      <Switch {...form.getInputProps('writes', { type: 'checkbox' })} label={labels.create.writes} />
      <Switch
        {...form.getInputProps('history', { type: 'checkbox' })}
        label={labels.create.history}
        description={labels.create.historyUse}
      />
      <NativeSelect {...form.getInputProps('lifetime')} label={labels.create.expiresIn} data={lifetimes} />
    </SubmitForm>
  )
}

interface ScopeFieldsProps {
  readonly form: UseFormReturnType<TokenDraft>
}

function choices(options: readonly { readonly slug: string; readonly name: string }[]) {
  return [
    { value: '', label: labels.create.choose },
    ...options.map(({ slug, name }) => ({ value: slug, label: name })),
  ]
}

/** Selects the project, and the stage for a token of one stage, among those that the viewer manages. Includes archived ones, because tokens can read them. */
function ScopeFields({ form }: ScopeFieldsProps) {
  const { data, error } = useQuery(projectsQuery(useScope()))
  const may = useMay()
  const { scope, project } = form.values
  const stages = (data?.find(({ projectSlug }) => projectSlug === project)?.stages ?? []).filter(({ stageSlug }) =>
    may('manage', { projectSlug: project, stageSlug }),
  )
  const projects = (data ?? []).filter(({ projectSlug, stages: all }) =>
    [{ projectSlug }, ...(scope === 'stage' ? all : [])].some((place) => may('manage', { projectSlug, ...place })),
  )
  const projectInput = form.getInputProps('project')
  return (
    <>
      <ErrorNotice error={error} />
      <NativeSelect
        {...projectInput}
        onChange={(event) => {
          projectInput.onChange(event)
          form.setFieldValue('stage', '')
        }}
        label={labels.create.project}
        data={choices(projects.map(({ projectSlug: slug, name }) => ({ slug, name })))}
        required
      />
      {scope === 'stage' && (
        <NativeSelect
          {...form.getInputProps('stage')}
          label={labels.create.stage}
          data={choices(stages.map(({ stageSlug: slug, name }) => ({ slug, name })))}
          required
        />
      )}
    </>
  )
}

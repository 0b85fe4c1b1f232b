import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useScope } from '../../session/use-scope.ts'
import { Command } from '../../ui/command.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { projectsQuery } from '../projects/queries.ts'
import {
  askedToken,
  emptyToken,
  lifetimes,
  type NewServiceToken,
  reaches,
  tokenChecks,
  type TokenDraft,
} from './new-token-values.ts'
import { createServiceToken, serviceTokensQuery } from './queries.ts'

interface NewTokenProps {
  readonly onDone: () => void
}

/** The token is in the state of this component alone, and goes with it. */
export function NewToken({ onDone }: NewTokenProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [token, setToken] = useState<string | undefined>()
  // Its result would stay in the memory of all requests, so it has none.
  const create = useMutation({
    mutationFn: async (asked: NewServiceToken) => setToken(await createServiceToken(scope, asked)),
    onSuccess: () => queryClient.invalidateQueries(serviceTokensQuery(scope)),
  })
  return token === undefined ? <NewTokenForm mutation={create} /> : <ShownToken token={token} onDone={onDone} />
}

interface ShownTokenProps {
  readonly token: string
  readonly onDone: () => void
}

function ShownToken({ token, onDone }: ShownTokenProps) {
  return (
    <Stack>
      <Notice kind="success">The token is made. Copy it now: it is shown this once.</Notice>
      <CopyField label="Service token" value={token} />
      <Text>The SDK and the command line take it from the environment:</Text>
      <Command what="the line that sets the token" text={`export ROLLKEY_TOKEN=${token}`} />
      <Button onClick={onDone}>Done</Button>
    </Stack>
  )
}

interface NewTokenFormProps {
  readonly mutation: { mutate(asked: NewServiceToken): void; readonly error: unknown; readonly isPending: boolean }
}

function NewTokenForm({ mutation }: NewTokenFormProps) {
  const form = useForm<TokenDraft>({ initialValues: emptyToken, validate: tokenChecks })
  const create = { ...mutation, mutate: (draft: TokenDraft) => mutation.mutate(askedToken(draft)) }
  return (
    <SubmitForm form={form} mutation={create} label="Create token">
      <TextInput
        {...form.getInputProps('name')}
        label="Name"
        description="What it is for, such as: CI of the shop"
        maxLength={128}
        autoComplete="off"
        required
        data-autofocus
      />
      <NativeSelect {...form.getInputProps('reach')} label="Reach" data={reaches} />
      {form.values.reach !== 'organization' && <ReachFields form={form} />}
      <Switch {...form.getInputProps('writes', { type: 'checkbox' })} label="May also write" />
      <Switch
        {...form.getInputProps('history', { type: 'checkbox' })}
        label="May also read the history and restore"
        description="Earlier values come back by a restore. It also needs the right to write."
      />
      <NativeSelect {...form.getInputProps('lifetime')} label="Works for" data={lifetimes} />
    </SubmitForm>
  )
}

interface ReachFieldsProps {
  readonly form: UseFormReturnType<TokenDraft>
}

function choices(places: readonly { slug: string; name: string }[]) {
  return [{ value: '', label: 'Choose …' }, ...places.map(({ slug, name }) => ({ value: slug, label: name }))]
}

/** The project, and the stage if it is to be one. Archived ones are read as before, so they count. */
function ReachFields({ form }: ReachFieldsProps) {
  const { data, error } = useQuery(projectsQuery(useScope()))
  const { reach, project } = form.values
  const stages = data?.find(({ projectSlug }) => projectSlug === project)?.stages ?? []
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
        label="Project"
        data={choices((data ?? []).map(({ projectSlug: slug, name }) => ({ slug, name })))}
        required
      />
      {reach === 'stage' && (
        <NativeSelect
          {...form.getInputProps('stage')}
          label="Stage"
          data={choices(stages.map(({ stageSlug: slug, name }) => ({ slug, name })))}
          required
        />
      )}
    </>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Place } from '@rollkey/contract/rules'
import { useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { Command } from '../../ui/copy.tsx'
import { focusOn } from '../../ui/focus.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { MoreFields } from '../../ui/more-fields.tsx'
import { labels } from './labels.ts'
import { RoleField, ScopeFields } from '../../parts/credentials/scope-fields.tsx'
import { ShownSecret } from '../../parts/credentials/shown-secret.tsx'
import { useLikelyProject } from '../../parts/credentials/use-listed-project.ts'
import { emptyToken, lifetimes, longDays, tokenChecks, type TokenDraft, tokenRequest } from './new-token-values.ts'
import type { TokenRequest } from '../../data/service-tokens.ts'
import { createServiceToken, serviceTokensQuery } from '../../data/service-tokens.ts'

interface NewTokenProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Creates a token and shows it once. Only the state of this component has it. */
export function NewToken({ opened, onClose }: NewTokenProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [created, setCreated] = useState<Pick<ShownTokenProps, 'name' | 'token' | 'place'> & { readonly id: string }>()
  // The result of a mutation would stay in the query client's memory, so this one has none.
  const create = useMutation({
    mutationFn: async (request: TokenRequest) => {
      setCreated({ name: request.name, place: request, ...(await createServiceToken(scope, request)) })
    },
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries(serviceTokensQuery(scope))
    },
  })
  const end = (id: string): void => {
    setCreated(undefined)
    focusOn(id)
  }
  return (
    <>
      <FormDrawer opened={opened} onClose={onClose} title={labels.create.title}>
        <NewTokenForm mutation={create} />
      </FormDrawer>
      {created && <ShownToken {...created} onDone={() => end(created.id)} />}
    </>
  )
}

interface ShownTokenProps {
  readonly name: string
  readonly token: string
  /** Where it is limited to. */
  readonly place: Place
  /** How long the secret works that this one replaces. Absent: it replaces none. */
  readonly former?: string
  readonly onDone: () => void
}

/** Shows the token once. */
export function ShownToken({ name, token, place, former, onDone }: ShownTokenProps) {
  const { publicUrl } = useSettings()
  const words = former === undefined ? labels.created : labels.replaced
  const { projectSlug, stageSlug } = place
  const settings = [
    `export ROLLKEY_URL=${publicUrl}`,
    `export ROLLKEY_TOKEN=${token}`,
    ...(projectSlug === undefined ? [] : [`export ROLLKEY_PROJECT=${projectSlug}`]),
    ...(stageSlug === undefined ? [] : [`export ROLLKEY_STAGE=${stageSlug}`]),
  ]
  return (
    <ShownSecret
      title={words.title(name)}
      text={words.text}
      label={labels.created.token}
      secret={token}
      done={labels.created.done}
      onDone={onDone}
    >
      {former !== undefined && <Text>{former}</Text>}
      <Text>{labels.created.environment}</Text>
      <Command what={labels.created.commandWhat} text={settings.join('\n')} />
    </ShownSecret>
  )
}

interface NewTokenFormProps {
  readonly mutation: { mutate(request: TokenRequest): void; readonly error: unknown; readonly isPending: boolean }
}

function NewTokenForm({ mutation }: NewTokenFormProps) {
  const may = useMay()
  const initialValues = { ...emptyToken, project: useLikelyProject() }
  const form = useForm<TokenDraft>({ initialValues, validate: tokenChecks(may) })
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
      <ScopeFields form={form} />
      <RoleField form={form} />
      <NativeSelect
        {...form.getInputProps('lifetime')}
        label={labels.create.expiresIn}
        description={Number(form.values.lifetime) > longDays && labels.create.longLifetime}
        data={lifetimes}
      />
      <MoreFields label={labels.create.more} isOpen={false}>
        <Switch
          {...form.getInputProps('history', { type: 'checkbox' })}
          label={labels.create.history}
          description={labels.create.historyUse}
        />
      </MoreFields>
    </SubmitForm>
  )
}

import { NativeSelect, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { SubmitForm } from '../../ui/submit-form.tsx'
import {
  askedToken,
  emptyToken,
  lifetimes,
  reaches,
  tokenChecks,
  type NewServiceToken,
  type TokenDraft,
} from './new-token-values.ts'
import { ReachFields } from './reach-fields.tsx'

interface NewTokenFormProps {
  readonly mutation: { mutate(asked: NewServiceToken): void; readonly error: unknown; readonly isPending: boolean }
}

export function NewTokenForm({ mutation }: NewTokenFormProps) {
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

/** Fields that the form for a new trust and the one for its changes share. */
import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { labels } from './labels.ts'
import type { TrustDraft } from './trust-draft.ts'
import classes from './trusts.module.css'

const words = labels.create

export interface OfFormProps {
  readonly form: UseFormReturnType<TrustDraft>
}

export function IssuerFields({ form }: OfFormProps) {
  return (
    <>
      <TextInput
        {...form.getInputProps('issuer')}
        label={words.issuer}
        description={words.issuerUse}
        type="url"
        autoComplete="off"
        required
      />
      <Textarea
        {...form.getInputProps('claims')}
        label={words.claims}
        description={words.claimsUse}
        classNames={{ input: classes['code'] }}
        spellCheck={false}
        autosize
        minRows={2}
        required
      />
    </>
  )
}

interface KeysFieldProps extends OfFormProps {
  readonly isRequired: boolean
}

export function KeysField({ form, isRequired }: KeysFieldProps) {
  return (
    <Textarea
      {...form.getInputProps('keys')}
      label={words.keys}
      description={words.keysUse}
      classNames={{ input: classes['code'] }}
      autosize
      maxRows={6}
      required={isRequired}
    />
  )
}

/** Returns the lifetimes to choose from, with the present one. */
function lifetimesWith(seconds: string) {
  const lifetimes: Readonly<Record<string, string>> = words.lifetimes
  const all = { ...lifetimes, [seconds]: lifetimes[seconds] ?? words.lifetimeOf(Number(seconds)) }
  return Object.entries(all).map(([value, label]) => ({ value, label }))
}

interface TermFieldsProps extends OfFormProps {
  /** Whether the address of the service applies to an empty audience. */
  readonly hasStandardAudience: boolean
}

/** Asks how long access tokens work, what else they may do, and which jobs get them. */
export function TermFields({ form, hasStandardAudience }: TermFieldsProps) {
  return (
    <>
      <NativeSelect
        {...form.getInputProps('lifetime')}
        label={words.lifetime}
        data={lifetimesWith(form.values.lifetime)}
      />
      <Switch {...form.getInputProps('history', { type: 'checkbox' })} label={words.history} />
      <Switch {...form.getInputProps('forks', { type: 'checkbox' })} label={words.forks} description={words.forksUse} />
      <TextInput
        {...form.getInputProps('audience')}
        label={words.audience}
        description={hasStandardAudience ? words.audienceUse : words.audienceFor}
        required={!hasStandardAudience}
      />
    </>
  )
}

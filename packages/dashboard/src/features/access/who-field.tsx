import { Anchor, Select, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { email } from '../../lib/validation.ts'
import { useViewer } from '../../session/viewer.ts'
import { labels } from './labels.ts'
import { keyOf, type Named } from '../../data/access/matrix.ts'
import { unlisted } from '../../data/access/names.ts'
import { useFollowMembers } from '../../data/members.ts'

const words = labels.grant

interface WhoFieldProps {
  /** @default 'Who' */
  readonly label?: string
  readonly hint?: string
  /** Everyone who can be chosen. */
  readonly named: readonly Named[]
  readonly value: Named | undefined
  readonly onChange: (named: Named | undefined) => void
  /** What a form says about it. A form finds the input by the path `who`. */
  readonly error?: ReactNode
}

const path = 'who'
/** How many of the found are listed. */
const maxListed = 50

/** Chooses a person, a group or a service token, or takes the email of someone who has not joined yet. */
export function WhoField({ label = words.who, hint = words.whoUse, named, value, onChange, error }: WhoFieldProps) {
  useFollowMembers()
  const isExternal = useViewer().provider === 'external'
  const [isTyping, setTyping] = useState(value !== undefined && !named.includes(value))
  const change = (types: boolean): void => {
    setTyping(types)
    onChange(undefined)
  }
  return (
    <Stack gap={4} align="stretch">
      {isTyping ? (
        <TypedWho isExternal={isExternal} value={value} onChange={onChange} error={error} />
      ) : (
        <Select
          data-path={path}
          error={error}
          label={label}
          description={hint}
          data={choices(named)}
          value={value ? keyOf(value.principal) : null}
          onChange={(key) => onChange(named.find(({ principal }) => keyOf(principal) === key))}
          limit={maxListed}
          nothingFoundMessage={words.noOne}
          openOnFocus={false}
          searchable
          selectFirstOptionOnChange
          required
          data-autofocus
        />
      )}
      <Anchor component="button" type="button" size="sm" ta="start" onClick={() => change(!isTyping)}>
        {isTyping ? words.byList : isExternal ? words.byUserId : words.byEmail}
      </Anchor>
    </Stack>
  )
}

/** Returns the choices by kind. Two people may have the same name, so each has an email. */
function choices(named: readonly Named[]) {
  return (['user', 'group', 'token'] as const).map((kind) => ({
    group: words.groups[kind],
    items: named
      .filter(({ principal }) => principal.kind === kind)
      .map(({ principal, name, detail }) => ({
        value: keyOf(principal),
        label: detail === undefined ? name : words.personChoice(name, detail),
      })),
  }))
}

interface TypedWhoProps {
  readonly isExternal: boolean
  readonly value: Named | undefined
  readonly onChange: (named: Named | undefined) => void
  readonly error: ReactNode
}

function TypedWho({ isExternal, value, onChange, error }: TypedWhoProps) {
  const [typed, setTyped] = useState(value?.principal.id ?? '')
  const problem = isExternal || typed === '' ? null : email(typed)
  const take = (): void => {
    const id = typed.trim()
    if (id === '' || problem !== null) return
    onChange(unlisted(isExternal ? { kind: 'user', id } : { kind: 'email', id: id.toLowerCase() }))
  }
  return (
    <TextInput
      label={isExternal ? words.userId : words.email}
      description={isExternal ? words.userIdUse : words.emailUse}
      type={isExternal ? 'text' : 'email'}
      autoComplete="off"
      data-path={path}
      error={value ? null : (problem ?? error)}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={take}
      onKeyDown={({ key }) => key === 'Enter' && take()}
      required
      data-autofocus
    />
  )
}

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDidUpdate } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { isWithin, machineRoles, type Place, type Verb } from '@rollkey/contract/rules'
import type { Principal } from '@rollkey/sdk/core'
import { useEffect, useRef, useState } from 'react'
import { TextLink } from '../../ui/buttons.tsx'
import { localTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { focusOn } from '../../ui/focus.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { namedPlace, projectsQuery } from '../../data/projects/queries.ts'
import { smallestRole } from '../../parts/protection/kept-access.tsx'
import { Explanation } from './explanation.tsx'
import { labels } from './labels.ts'
import { accessFocus, cellOf, keyOf, type Named, type Source } from '../../data/access/matrix.ts'
import { PlaceField } from './place-field.tsx'
import { grant, revoke, useAccessChange } from '../../data/access/queries.ts'
import type { Access } from './use-access.ts'
import { WhoField } from './who-field.tsx'
import { placeName } from '../../data/projects/labels.ts'
import { labels as accessLabels, roleText, mayText } from '../../data/access/labels.ts'

const words = labels.grant

/** Whose access is open, and where. */
export interface GrantTarget {
  /** Absent: someone who is still to be chosen. */
  readonly named?: Named
  readonly place: Place
  /** Id of the person, where only that is known. */
  readonly person?: string | undefined
  /** A verb that the role has to give, for a role that is chosen from the start. */
  readonly verb?: Verb
}

interface GrantDrawerProps {
  readonly access: Access
  /** Undefined: the drawer is closed. */
  readonly target: GrantTarget | undefined
  readonly onClose: () => void
}

/** Grants access, changes or revokes it, and shows what applies. */
export function GrantDrawer({ access, target, onClose }: GrantDrawerProps) {
  const named = target?.named ?? access.named.find(({ principal }) => isPerson(principal, target?.person))
  return (
    <FormDrawer
      opened={target !== undefined}
      onClose={onClose}
      title={named ? accessLabels.accessOf(named.name) : words.title}
    >
      {target && (
        <GrantContent
          // The members may be known after the rest.
          key={named && keyOf(named.principal)}
          access={access}
          target={{ ...target, ...(named && { named }) }}
          onClose={onClose}
        />
      )}
    </FormDrawer>
  )
}

function isPerson({ kind, id }: Principal, person: string | undefined): boolean {
  return kind === 'user' && id === person
}

interface GrantContentProps extends GrantDrawerProps {
  readonly target: GrantTarget
}

function GrantContent({ access, target, onClose }: GrantContentProps) {
  const nowMs = useNow()
  const [named, setNamed] = useState(target.named)
  const [chosen, setPlace] = useState<Place>(target.place)
  // A service token has nothing beyond its scope.
  const places = access.places.filter((each) => !named?.token || isWithin(each, named.token))
  const place = places.find((each) => placeName(each) === placeName(chosen)) ?? places[0] ?? chosen
  const sources = named ? access.sourcesOf(named) : []
  const inherited = sources.filter((source) => !isDirect(source, place))
  return (
    <GrantForm
      subject={`${named ? keyOf(named.principal) : ''} ${placeName(place)}`}
      access={{ ...access, places }}
      named={named}
      place={place}
      direct={sources.find((source) => isDirect(source, place))}
      inherited={cellOf(inherited, place, nowMs).verbs}
      verb={target.verb}
      onPlace={setPlace}
      onDone={onClose}
      {...(!target.named && { onNamed: setNamed })}
    />
  )
}

function isDirect({ from, group, projectSlug, stageSlug }: Source, place: Place): boolean {
  return from === 'grant' && !group && projectSlug === place.projectSlug && stageSlug === place.stageSlug
}

interface GrantFormProps {
  /** Identifies whose access where it is. */
  readonly subject: string
  readonly access: Access
  readonly named: Named | undefined
  readonly place: Place
  /** What is granted there at present. */
  readonly direct: Source | undefined
  /** What applies there without that. */
  readonly inherited: readonly Verb[]
  /** A verb that the role has to give. Undefined: the form chooses no role. */
  readonly verb: Verb | undefined
  /** Receives the chosen one. Absent: it cannot be changed. */
  readonly onNamed?: (named: Named | undefined) => void
  readonly onPlace: (place: Place) => void
  readonly onDone: () => void
}

interface GrantValues extends Record<string, unknown> {
  /** Always empty: the form has only the error of a person who is not chosen. */
  readonly who: ''
  readonly role: string
  /** Local time; empty: without an end. */
  readonly until: string
}

function valuesOf(direct: Source | undefined): GrantValues {
  return {
    who: '',
    role: direct?.role ?? '',
    until: direct?.expiresAtMs === undefined ? '' : localTime(direct.expiresAtMs),
  }
}

function GrantForm(props: GrantFormProps) {
  const { subject, access, named, place, direct, inherited, verb, onNamed, onPlace, onDone } = props
  const isToken = named?.principal.kind === 'token'
  const roles = access.roles.filter(({ name }) => !isToken || machineRoles.some((role) => role === name))
  const form = useGrantForm({ subject, named, direct, roles, verb })
  const { save, end } = useGrantChanges({ named, place, direct, onDone })
  useDidUpdate(() => save.reset(), [subject])
  const chosen = roles.find(({ name }) => name === form.values.role)
  const addsNothing = chosen?.verbs.every((each) => inherited.includes(each)) === true
  return (
    <SubmitForm
      form={form}
      mutation={save}
      label={direct ? words.save : words.submit}
      isIncomplete={direct !== undefined && !form.isDirty()}
      leading={
        direct && (
          <Button
            variant="default"
            c="var(--danger-text)"
            mr="auto"
            loading={end.isPending}
            onClick={() => end.mutate()}
          >
            {words.revoke}
          </Button>
        )
      }
    >
      {onNamed && <WhoField named={access.named} value={named} onChange={onNamed} error={form.errors['who']} />}
      <PlaceField
        places={access.places}
        place={place}
        onPlace={onPlace}
        elsewhere={<StagesElsewhere place={place} />}
      />
      <NativeSelect
        {...form.getInputProps('role')}
        label={words.role}
        description={
          chosen &&
          `${roleText(chosen)} ${addsNothing ? words.addsNothing(mayText(inherited)) : words.withRole(mayText(chosen.verbs))}`
        }
        data={[{ value: '', label: words.rolePlaceholder, disabled: true }, ...roles.map(({ name }) => name)]}
        required
        data-autofocus={onNamed ? undefined : true}
      />
      <TextInput
        {...form.getInputProps('until')}
        label={words.until}
        description={words.untilUse}
        type="datetime-local"
      />
      {named && <Explanation access={access} named={named} place={place} />}
    </SubmitForm>
  )
}

/** Says where access to a single stage is granted, and leads there from a project. */
function StagesElsewhere({ place: { projectSlug } }: Pick<GrantFormProps, 'place'>) {
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  if (projectSlug === undefined) return words.placeUse
  return (
    <>
      {words.stagesUse}{' '}
      <TextLink from="/o/$orgSlug" to="./p/$projectSlug/access" params={{ projectSlug }} search={{}} fz="inherit">
        {words.stagesPage(namedPlace(projects, { projectSlug }))}
      </TextLink>
      .
    </>
  )
}

function untilProblem(until: string): string | null {
  return until !== '' && !(Date.parse(until) > Date.now()) ? words.untilPast : null
}

interface GrantFormState extends Pick<GrantFormProps, 'subject' | 'named' | 'direct' | 'verb'> {
  /** Those that can be granted. */
  readonly roles: Access['roles']
}

/** Returns the form, which shows what is granted to the one who is chosen. */
function useGrantForm({ subject, named, direct, roles, verb }: GrantFormState) {
  const form = useForm<GrantValues>({
    initialValues: valuesOf(direct),
    validate: {
      who: () => (named ? null : words.whoMissing),
      role: (role) => (roles.some(({ name }) => name === role) ? null : words.roleMissing),
      until: untilProblem,
    },
  })
  useEffect(() => {
    if (verb) form.setFieldValue('role', smallestRole(roles, [verb]))
    // eslint-disable-next-line react-hooks/exhaustive-deps -- What someone chooses stays.
  }, [])
  const showed = useRef(direct)
  // The form stays, and with it the focus in the field that chose someone else.
  useDidUpdate(() => {
    form.setInitialValues(valuesOf(direct))
    // A role that was chosen before the person stays.
    if (direct || showed.current) form.setValues(valuesOf(direct))
    showed.current = direct
    form.clearErrors()
  }, [subject])
  return form
}

/** Returns the mutations that save a grant and end it. Both can be undone. */
function useGrantChanges({
  named,
  place,
  direct,
  onDone,
}: Pick<GrantFormProps, 'named' | 'place' | 'direct' | 'onDone'>) {
  const scope = useScope()
  const set = useAccessChange(async (to: { role: string; expiresAtMs?: number } | undefined) => {
    if (!named) return
    const at = { principal: named.principal, projectSlug: place.projectSlug, stageSlug: place.stageSlug }
    await (to ? grant(scope, { ...at, ...to }) : revoke(scope, at))
  })
  const before = direct?.role === undefined ? undefined : grantedBy(direct.role, direct.expiresAtMs)
  const who = named?.name ?? ''
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const where = namedPlace(projects, place)
  const reversal = (to: Parameters<typeof set.mutateAsync>[0]) => ({
    isButtonOnly: true,
    undo: async () => {
      await set.mutateAsync(before)
      return before ? words.saved(who, before.role, where) : words.revoked(who, where)
    },
    redo: () => set.mutateAsync(to),
  })
  const save = {
    ...set,
    mutate: ({ role, until }: GrantValues) => {
      const to = grantedBy(role, until === '' ? undefined : Date.parse(until))
      set.mutate(to, {
        onSuccess: () => {
          onDone()
          if (named) focusOn(accessFocus(named.principal, place))
          toast.success(words.saved(who, role, where), reversal(to))
        },
      })
    },
  }
  const end = {
    isPending: set.isPending && set.variables === undefined,
    mutate: () =>
      set.mutate(undefined, {
        onSuccess: () => {
          onDone()
          toast.success(words.revoked(who, where), reversal(undefined))
        },
      }),
  }
  return { save, end }
}

function grantedBy(role: string, expiresAtMs: number | undefined) {
  return { role, ...(expiresAtMs !== undefined && { expiresAtMs }) }
}

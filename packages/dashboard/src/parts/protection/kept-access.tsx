/** Who keeps access to a stage that becomes protected: what each loses, and the role on the stage in its place. */
import { effectiveVerbs, guardedVerbs, machineRoles, type Verb } from '@rollkey/contract/rules'
import type { Grant, Group, Principal, Role, StageSlugs } from '@rollkey/sdk/core'
import { NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../session/permissions.ts'
import { type Scope, useScope } from '../../session/scope.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { useNow } from '../../ui/time.tsx'
import { roleText, verbsText } from '../../data/access/labels.ts'
import { keyOf, type Named, sourcesBy } from '../../data/access/matrix.ts'
import { unlisted, useNamed, usePrincipalName } from '../../data/access/names.ts'
import { accessQuery, groupsQuery, losingQuery, rolesQuery } from '../../data/access/queries.ts'
import classes from './protection.module.css'
import { labels } from './labels.ts'

const words = labels.protection

/** Someone who can keep access by a role on the stage. */
interface Loser {
  readonly principal: Principal
  readonly lost: readonly Verb[]
  /** The role that is granted unless the person chooses another; empty: none. */
  readonly suggested: string
}

/** A role on the stage for someone. */
export interface KeptRole {
  readonly principal: Principal
  readonly role: string
}

/** Chosen roles by the key of the principal; empty: none. */
export type ChosenRoles = Readonly<Record<string, string>>

/**
 * Returns those who can keep access, the viewer and their groups first, and what other members lose; undefined: loading.
 * `needsApproval`: whether the viewer should also approve what others propose.
 */
export function useLosers(place: StageSlugs, needsApproval: boolean) {
  const scope = useScope()
  const may = useMay()
  const nowMs = useNow()
  const losing = useQuery(losingQuery(scope, place))
  const access = useQuery(accessQuery(scope, place))
  const roles = useQuery(rolesQuery(scope))
  const groups = useQuery(groupsQuery(scope))
  const error = losing.error ?? access.error ?? roles.error ?? groups.error
  if (!losing.data || !access.data || !roles.data || !groups.data) return { error, losers: undefined }
  const rules = { ...access.data, roles: roles.data, groups: groups.data }
  const former = grantsOn(place, access.data.grants)
  const me = meIn(scope)
  const kept = me && effectiveVerbs(sourcesBy(rules)(me), { ...place, isProtected: true }, nowMs)
  const lostByMe = guardedVerbs.filter((verb) => may(verb, place) && kept?.includes(verb) === false)
  const needed = guardedVerbs.filter((verb) => lostByMe.includes(verb) || kept?.includes(verb))
  const approving = needsApproval ? smallestRole(roles.data, [...needed, 'approve']) : ''
  const suggested = approving === '' ? smallestRole(roles.data, needed) : approving
  const own = me ? [{ principal: me.principal, lost: lostByMe, suggested }] : []
  const named = losing.data.flatMap(({ principal, verbs }) => (principal ? [{ principal, verbs }] : []))
  const lostBy = new Map(named.map(({ principal, verbs }) => [keyOf(principal), verbs]))
  const mine = groupsOf(groups.data, me).filter((group) => !former.has(keyOf(group)))
  const others = [...mine, ...named.map(({ principal }) => principal)]
  const principals = new Map(others.map((principal) => [keyOf(principal), principal]))
  if (me) principals.delete(keyOf(me.principal))
  const rest = [...principals].map(([key, principal]) => ({ principal, lost: lostBy.get(key) ?? [], suggested: '' }))
  const losers: readonly Loser[] = [...own.filter(({ lost }) => lost.length > 0), ...rest]
  const everyone = losing.data.find(({ principal }) => !principal)?.verbs ?? []
  return { error, losers, roles: roles.data, everyone, former, rules }
}

/** Returns them with those whom the form adds, who lose what every member loses. `needed`: what the role of these has. */
export function withAdded(losers: Losers, added: readonly Principal[], needed: readonly Verb[]): Losers {
  if (!losers.losers) return losers
  const { roles, everyone } = losers
  const more = added.map((principal) => ({ principal, lost: everyone, suggested: smallestRole(roles, needed) }))
  return { ...losers, losers: [...losers.losers, ...more] }
}

/** Returns the grants on the very stage, by the key of the principal. */
export function grantsOn({ projectSlug, stageSlug }: StageSlugs, grants: readonly Grant[]): ReadonlyMap<string, Grant> {
  const direct = grants.filter((each) => each.projectSlug === projectSlug && each.stageSlug === stageSlug)
  return new Map(direct.map((each) => [keyOf(each.principal), each]))
}

type Losers = ReturnType<typeof useLosers>

function meIn({ userId }: Scope): Named | undefined {
  return userId === undefined ? undefined : unlisted({ kind: 'user', id: userId })
}

function groupsOf(groups: readonly Group[], me: Named | undefined): Principal[] {
  const isMine = ({ members }: Group) => members.some((member) => me && keyOf(member) === keyOf(me.principal))
  return groups.filter(isMine).map(({ id }) => ({ kind: 'group', id }))
}

/** Returns the role with the fewest verbs that has all of these; empty: none has. */
export function smallestRole(roles: readonly Role[], verbs: readonly Verb[]): string {
  const enough = roles.filter((role) => verbs.every((verb) => role.verbs.includes(verb)))
  return enough.toSorted((one, other) => one.verbs.length - other.verbs.length)[0]?.name ?? ''
}

/** Returns the roles that the form grants. */
export function keptRoles({ losers = [] }: Losers, chosen: ChosenRoles): readonly KeptRole[] {
  return losers.flatMap(({ principal, suggested }) => {
    const role = chosen[keyOf(principal)] ?? suggested
    return role === '' ? [] : [{ principal, role }]
  })
}

interface KeptAccessProps {
  readonly losers: Losers
  readonly stageName: string
  readonly chosen: ChosenRoles
  readonly onChoose: (chosen: ChosenRoles) => void
  readonly onAdd: (principal: Principal) => void
}

/** Lists who loses what, each with a role on the stage that can be granted in its place. */
export function KeptAccess({ losers: { losers, roles = [], everyone = [], error }, ...props }: KeptAccessProps) {
  const nameOf = usePrincipalName()
  const { userId } = useScope()
  const { stageName, chosen, onChoose, onAdd } = props
  if (!losers) return error ? <LoadError error={error} /> : <RowsSkeleton rows={3} />
  return (
    <div>
      <Text fw={600}>{words.keeps}</Text>
      <Text size="sm" c="dimmed">
        {losers.length + everyone.length === 0 ? words.losingNone : words.losersSee}
      </Text>
      <ul className={`plain-list ${classes['losing']}`}>
        {losers.map(({ principal, lost, suggested }) => {
          const key = keyOf(principal)
          const name = principal.id === userId ? words.you : nameOf(principal)
          return (
            <li key={key}>
              <span className="wrapping">{name}</span>
              <NativeSelect
                aria-label={words.roleOf(name, stageName)}
                value={chosen[key] ?? suggested}
                onChange={({ currentTarget }) => onChoose({ ...chosen, [key]: currentTarget.value })}
                data={[
                  { value: '', label: lost.length === 0 ? words.noRole : words.loses(verbsText(lost)) },
                  ...roles.filter(({ name: role }) => isGrantable(principal, role)).map(({ name: role }) => role),
                ]}
              />
            </li>
          )
        })}
        {everyone.length > 0 && (
          <li>
            <span className="wrapping">{words.everyMember}</span>
            <Text component="span" size="sm" c="dimmed">
              {words.loses(verbsText(everyone))}
            </Text>
          </li>
        )}
      </ul>
      {roles
        .filter(({ name }) =>
          losers.some(({ principal, suggested }) => (chosen[keyOf(principal)] ?? suggested) === name),
        )
        .map((role) => (
          <Text key={role.name} size="sm" c="dimmed" mt={4}>
            <strong>{role.name}</strong>: {roleText(role)}
          </Text>
        ))}
      <AddField listed={losers.map(({ principal }) => principal)} onAdd={onAdd} />
    </div>
  )
}

interface AddFieldProps {
  readonly listed: readonly Principal[]
  readonly onAdd: (principal: Principal) => void
}

/** Adds another person or group to those who keep access. */
function AddField({ listed, onAdd }: AddFieldProps) {
  const taken = new Set(listed.map(keyOf))
  const others = useNamed().filter(({ principal }) => principal.kind !== 'token' && !taken.has(keyOf(principal)))
  if (others.length === 0) return null
  return (
    <NativeSelect
      mt="xs"
      aria-label={words.add}
      value=""
      onChange={({ currentTarget }) => {
        const found = others.find(({ principal }) => keyOf(principal) === currentTarget.value)
        if (found) onAdd(found.principal)
      }}
      data={[
        { value: '', label: words.add },
        ...others.map(({ principal, name }) => ({ value: keyOf(principal), label: name })),
      ]}
    />
  )
}

function isGrantable({ kind }: Principal, role: string): boolean {
  return kind !== 'token' || machineRoles.some((each) => each === role)
}

/** Names of people, groups and service tokens. */
import type { Grant, Principal } from '@rollkey/sdk/core'
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useScope } from '../../session/scope.ts'
import { useMembers } from '../members.ts'
import { serviceTokensQuery } from '../service-tokens.ts'
import { keyOf, type Named } from './matrix.ts'
import { groupsQuery } from './queries.ts'

/** Returns everyone and everything that can have access: members, groups and service tokens. Those who manage a place may ask. */
export function useNamed(): readonly Named[] {
  const scope = useScope()
  const members = useMembers()
  const { data: groups } = useQuery(groupsQuery(scope))
  const { data: tokens } = useQuery(serviceTokensQuery(scope))
  return useMemo(
    () =>
      [
        ...members.map(({ userId, role, user }): Named => ({
          principal: { kind: 'user', id: userId },
          name: user.name,
          detail: user.email,
          memberRole: role,
        })),
        ...(groups ?? []).map(({ id, name }): Named => ({ principal: { kind: 'group', id }, name })),
        ...(tokens ?? []).map(({ id, name, role, projectSlug, stageSlug }): Named => ({
          principal: { kind: 'token', id },
          name,
          token: { role, projectSlug, stageSlug },
        })),
      ].toSorted((one, other) => one.name.localeCompare(other.name)),
    [members, groups, tokens],
  )
}

/** Returns the principal by itself, for one that the lists do not have: invited, or known only to an external provider. */
export function unlisted(principal: Principal): Named {
  return { principal, name: withoutHiddenCharacters(principal.id) }
}

/** Returns those who have a grant without being in the lists. */
export function unlistedIn(grants: readonly Grant[], listed: readonly Named[]): readonly Named[] {
  const known = new Set(listed.map(({ principal }) => keyOf(principal)))
  const others = new Map(grants.map(({ principal }) => [keyOf(principal), principal]))
  return [...others].flatMap(([key, principal]) => (known.has(key) ? [] : [unlisted(principal)]))
}

/** Returns a function that names a principal. */
export function usePrincipalName(): (principal: Principal) => string {
  const named = useNamed()
  const names = useMemo(() => new Map(named.map(({ principal, name }) => [keyOf(principal), name])), [named])
  return useCallback((principal) => names.get(keyOf(principal)) ?? unlisted(principal).name, [names])
}

/** Returns a function that names a person by their id, and a group or service token by `group:ID` or `token:ID`. */
export function useSubjectName(): (subject: string) => string {
  const named = useNamed()
  return useMemo(() => {
    const names = new Map(
      named.map(({ principal, name }) => [principal.kind === 'user' ? principal.id : keyOf(principal), name]),
    )
    return (subject) => names.get(subject) ?? subject
  }, [named])
}

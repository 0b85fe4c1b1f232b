import type { AuditEntry } from '@rollkey/contract'
import { useQuery } from '@tanstack/react-query'
import { actorName, operatorName } from './labels.ts'
import { serviceTokensQuery } from '../tokens/queries.ts'
import { useMembers } from '../members/use-members.ts'
import { usePersonName } from '../members/use-person-name.ts'
import { useScope } from '../../session/use-scope.ts'

/** Who may have done something: people, service tokens, the operator, and whoever did what the entries tell. */
export function useActorChoices(entries: readonly AuditEntry[]) {
  const personName = usePersonName()
  const { data: tokens = [] } = useQuery(serviceTokensQuery(useScope()))
  const names = new Map([
    ...useMembers().map(({ userId, user }) => [userId, user.name] as const),
    ...tokens.map(({ id, name }) => [id, `service token ${name}`] as const),
    ['operator', operatorName] as const,
    ...entries.flatMap((entry) =>
      entry.actor === undefined ? [] : [[entry.actor, actorName(entry, personName)] as const],
    ),
  ])
  return [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => a.label.localeCompare(b.label))
}

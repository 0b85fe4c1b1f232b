/** Who may approve with the rules of a form, and whom else it can let approve. */
import { areTooFew, type Verb } from '@rollkey/contract/rules'
import type { Group as PeopleGroup, Role, StageSlugs } from '@rollkey/sdk/core'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf, type Named } from '../../data/access/matrix.ts'
import { useNamed, usePrincipalName } from '../../data/access/names.ts'
import { accessQuery, groupsQuery, rolesQuery } from '../../data/access/queries.ts'
import { type Approvers, useApprovers } from '../../data/access/use-approvers.ts'
import { useScope } from '../../session/scope.ts'
import { Notice } from '../../ui/notice.tsx'
import { grantsOn, type KeptRole, smallestRole } from './kept-access.tsx'
import { labels } from './labels.ts'

const { rules: words, protection: protectionLabels } = labels
/** Maximum number of people and groups that a warning offers. */
const maxOffered = 4

/** What a form requires of the approvals of a change. `approvals` may be what someone types. */
interface Required {
  readonly approvals: number | string
  readonly selfApproval: boolean
}

/** Returns who may approve a change of the stage with these roles besides, and whom the form can let approve. */
export function useApproval(place: StageSlugs, values: Required, granted: readonly KeptRole[]) {
  const scope = useScope()
  const approvers = useApprovers(place, granted)
  const { data: access } = useQuery(accessQuery(scope, place))
  const { data: roles = [] } = useQuery(rolesQuery(scope))
  const { data: groups = [] } = useQuery(groupsQuery(scope))
  const named = useNamed()
  const former = grantsOn(place, access?.grants ?? [])
  const required = { approvals: Number(values.approvals), selfApproval: values.selfApproval }
  const known = required.approvals > 0 ? approvers : undefined
  const isShort = known !== undefined && areTooFew(known, required)
  const roleOf = ({ principal }: Named): string | undefined =>
    granted.find((each) => keyOf(each.principal) === keyOf(principal))?.role ?? former.get(keyOf(principal))?.role
  const offers = isShort
    ? candidates(named, groups, known, scope.userId).flatMap((each) => roleThatApproves(each, roles, roleOf(each)))
    : []
  // A change needs this many more, and they are all there are: one button is for all of them.
  const missing = required.approvals + Number(!required.selfApproval) - (known?.people.size ?? 0)
  const areAllNeeded = offers.length === missing && offers.every(({ principal }) => principal.kind === 'user')
  // With others who approve, the changes of these wait, but not all.
  const isDeadEnd = isShort && known.people.size < required.approvals
  const together = areAllNeeded && missing > 1 ? offers : []
  return { approvers: known, required, isShort, isDeadEnd, former, offers: offers.slice(0, maxOffered), together }
}

export type Approval = ReturnType<typeof useApproval>

/** Returns the groups and people who would add someone who may approve: groups first, then owners and admins, then other members. */
function candidates(
  named: readonly Named[],
  groups: readonly PeopleGroup[],
  { people }: Approvers,
  userId: string | undefined,
): readonly Named[] {
  const rank = ({ principal, memberRole }: Named): number | undefined => {
    if (principal.kind === 'user') {
      if (people.has(principal.id)) return undefined
      return (memberRole === 'member' ? 3 : 1) + Number(principal.id === userId)
    }
    const group = groups.find(({ id }) => principal.kind === 'group' && id === principal.id)
    const adds = group?.members.some(({ kind, id }) => kind === 'user' && !people.has(id))
    return group?.idpGroup !== undefined || adds ? 0 : undefined
  }
  return named
    .flatMap((each) => {
      const place = rank(each)
      return place === undefined ? [] : [{ each, place }]
    })
    .toSorted((one, other) => one.place - other.place)
    .map(({ each }) => each)
}

/** Returns the smallest role that approves and has what theirs on the stage has. */
function roleThatApproves({ principal }: Named, roles: readonly Role[], present: string | undefined): KeptRole[] {
  const verbs: readonly Verb[] = roles.find(({ name }) => name === present)?.verbs ?? []
  const role = smallestRole(roles, [...verbs, 'read', 'write', 'approve'])
  return role === '' ? [] : [{ principal, role }]
}

interface ApproversOfFormProps {
  readonly approval: Approval
  readonly onLetApprove: (roles: readonly KeptRole[]) => void
}

/** Says who may approve, and warns where they are fewer than a change needs, with buttons that let more people approve. */
export function ApproversOfForm({ approval, onLetApprove }: ApproversOfFormProps) {
  const { approvers, required, isShort, offers, together } = approval
  const { userId } = useScope()
  const nameOf = usePrincipalName()
  if (!approvers) return null
  const names = approvers.principals.map((each) => (each.id === userId ? protectionLabels.you : nameOf(each)))
  const { size } = approvers.people
  const isOnlyMe = size === 1 && required.approvals === 1 && userId !== undefined && approvers.people.has(userId)
  return (
    <>
      {names.length > 0 && <Text size="sm">{words.approvers(names)}</Text>}
      {approvers.reported.map(({ name, idpGroup }) => (
        <Text key={name} size="sm" className="wrapping">
          {words.reported(name, idpGroup)}
        </Text>
      ))}
      {isShort && (
        <Notice kind="warning">
          <Stack gap="xs">
            {isOnlyMe ? words.onlyYou : words.fewApprovers(size, required.approvals)}
            <Group gap="xs">
              {together.length > 0 && (
                <Button size="xs" onClick={() => onLetApprove(together)}>
                  {words.letAll(together.length)}
                </Button>
              )}
              {offers.map((each) => (
                <Button key={keyOf(each.principal)} size="xs" variant="default" onClick={() => onLetApprove([each])}>
                  {each.principal.id === userId ? words.letYou : words.letApprove(nameOf(each.principal))}
                </Button>
              ))}
            </Group>
          </Stack>
        </Notice>
      )}
    </>
  )
}

import type { Group as PeopleGroup } from '@rollkey/sdk/core'
import { Badge, Group, Text } from '@mantine/core'
import { IconEmail, IconPeople, IconToken } from '../../ui/icons.ts'
import { Avatar } from '../../ui/name.tsx'
import { labels } from './labels.ts'
import type { Named } from '../../data/access/matrix.ts'

const icons = { group: IconPeople, token: IconToken, trust: IconToken, email: IconEmail } as const

interface PrincipalNameProps {
  readonly named: Named
  readonly groups: readonly PeopleGroup[]
}

/** Shows a person, group, service token or trust with what it is. */
export function PrincipalName({ named: { principal, name, detail, memberRole }, groups }: PrincipalNameProps) {
  const { kind, id } = principal
  const members = kind === 'group' ? groups.find((group) => group.id === id)?.members.length : undefined
  return (
    <Group component="span" gap="xs" wrap="nowrap">
      <Avatar name={name} {...(kind !== 'user' && { icon: icons[kind] })} />
      <span>
        <Group component="span" gap={6} wrap="nowrap">
          <Text component="span" fw={500} className="wrapping">
            {name}
          </Text>
          {memberRole !== undefined && memberRole !== 'member' && (
            <Badge size="sm">{labels.access.memberRoles[memberRole]}</Badge>
          )}
        </Group>
        {kind !== 'user' && (
          <Text component="span" display="block" size="sm" c="dimmed">
            {members === undefined
              ? labels.access.kinds[kind]
              : `${labels.access.kinds[kind]} · ${labels.access.members(members)}`}
          </Text>
        )}
        {detail !== undefined && (
          <Text component="span" display="block" size="sm" c="dimmed" className="wrapping">
            {detail}
          </Text>
        )}
      </span>
    </Group>
  )
}

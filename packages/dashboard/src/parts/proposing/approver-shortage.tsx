import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { Stack, Text } from '@mantine/core'
import { manages } from '../../lib/roles.ts'
import { useMembers } from '../../data/members.ts'
import { useMay } from '../../session/permissions.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { placeName } from '../../data/projects/labels.ts'
import { CopyRequest } from '../access/copy-request.tsx'
import { labels } from './labels.ts'

const words = labels.shortage

interface ApproverShortageProps {
  readonly place: StageSlugs
  readonly stage: Pick<Stage, 'name' | 'protection'>
}

/** Says that too few people may approve a change, and what to do: to those who can mend it, or whom to ask. */
export function ApproverShortage({ place, stage: { name, protection } }: ApproverShortageProps) {
  const may = useMay()
  const managers = useMembers().flatMap(({ role, user }) => (manages(role) ? user.name : []))
  const { approvals = 0, selfApproval = false } = protection ?? {}
  const required = words.required(approvals, selfApproval, name)
  return (
    <Notice kind="warning" title={words.title(name)}>
      {may('manage', place) ? (
        <Stack gap="xs" align="flex-start">
          <Text size="sm">
            {required} {words.mend(name)}
          </Text>
          <TextLink from="/o/$orgSlug" to="./p/$projectSlug/access" params={{ projectSlug: place.projectSlug }}>
            {words.open}
          </TextLink>
        </Stack>
      ) : (
        <Text size="sm">
          {required} {words.ask(managers, name)}
          <CopyRequest verb="approve" at={place} text={(link) => words.request(placeName(place), link)} />
        </Text>
      )}
    </Notice>
  )
}

import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { Stack, Text } from '@mantine/core'
import { shortageOf } from '../../data/access/approvers.ts'
import { useApprovers } from '../../data/access/use-approvers.ts'
import { useScope } from '../../session/scope.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

const words = labels.shortage

interface ApproverShortageProps {
  readonly place: StageSlugs
  readonly stage: Pick<Stage, 'name' | 'protection'>
  /** Who proposed the change. Absent: the viewer is about to. */
  readonly proposedBy?: string
}

/** Says that too few people may approve a change, and what to do. Those who manage the stage see it, because they can mend it. */
export function ApproverShortage({ place, stage, proposedBy }: ApproverShortageProps) {
  const { userId } = useScope()
  const { approvals = 0, selfApproval = false } = stage.protection ?? {}
  const approvers = useApprovers(approvals > 0 ? place : undefined)
  const proposer = proposedBy ?? userId
  const able = approvers && proposer !== undefined && shortageOf(approvers, { approvals, selfApproval }, proposer)
  if (typeof able !== 'number') return null
  return (
    <Notice kind="warning" title={words.title(able, stage.name)}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{words.text(approvals, selfApproval, stage.name)}</Text>
        <TextLink from="/o/$orgSlug" to="./p/$projectSlug/access" params={{ projectSlug: place.projectSlug }}>
          {words.open}
        </TextLink>
      </Stack>
    </Notice>
  )
}

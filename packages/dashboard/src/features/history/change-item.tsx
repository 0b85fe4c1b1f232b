import { Text } from '@mantine/core'
import { TextLink } from '../../ui/text-link.tsx'
import type { ToldChange } from './revisions.ts'
import type { Place } from '../variables/queries.ts'
import { ChangedDigests } from './changed-digests.tsx'

interface ChangeItemProps {
  readonly told: ToldChange
  readonly place: Place
  readonly showsDigests: boolean
}

/** What became of one variable; its name leads to all that became of it. */
export function ChangeItem({ told: { change, words }, place, showsDigests }: ChangeItemProps) {
  const { projectSlug, stageSlug } = place
  const { name } = change
  return (
    <li className="wrapping">
      <TextLink
        from="/o/$orgSlug"
        to="./p/$projectSlug/history"
        params={{ projectSlug }}
        search={{ stage: stageSlug, name }}
        fw={600}
        underline="hover"
      >
        <bdi>{name}</bdi>
      </TextLink>
      <Text size="sm">{words}</Text>
      {showsDigests && <ChangedDigests change={change} />}
    </li>
  )
}

import { Code, Group, Text } from '@mantine/core'
import type { Change } from '../../variables/change.ts'
import { roleNames, roles } from '../../variables/differences.ts'

/** Characters of a digest: enough to tell the values of a variable apart. */
const shownCharacters = 8

interface ChangedDigestsProps {
  readonly change: Change
}

/** Old and new values by their digests. */
export function ChangedDigests({ change: { before, digests } }: ChangedDigestsProps) {
  return roles.map((role) => {
    const known = [before?.digests[role], digests?.[role]].filter((digest) => digest !== undefined)
    const [from, to] = new Set(known)
    return (
      from !== undefined && (
        <Group key={role} gap={6}>
          <Text size="sm" c="dimmed">
            {roleNames[role]}
          </Text>
          <Code>{from.slice(0, shownCharacters)}</Code>
          {to !== undefined && (
            <>
              →<Code>{to.slice(0, shownCharacters)}</Code>
            </>
          )}
        </Group>
      )
    )
  })
}

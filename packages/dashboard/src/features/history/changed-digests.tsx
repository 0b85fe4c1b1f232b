import { Code, Group, Text } from '@mantine/core'
import { kinds } from '@rollkey/contract/rules'
import type { Change } from '../variables/change.ts'

/** Characters of a digest: enough to tell the values of a variable apart. */
const shownCharacters = 8

interface ChangedDigestsProps {
  readonly change: Change
}

/** Old and new values by their digests. */
export function ChangedDigests({ change: { kind, before, digests } }: ChangedDigestsProps) {
  const values = [before?.kind, kind].flatMap((each) => (each ? kinds[each].values : []))
  const labels = new Map(values.map(({ role, label }) => [role, label]))
  return [...labels].map(([role, label]) => {
    const known = [before?.digests[role], digests?.[role]].filter((digest) => digest !== undefined)
    const [from, to] = new Set(known)
    return (
      from !== undefined && (
        <Group key={role} gap={6}>
          <Text size="sm" c="dimmed">
            {label}
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

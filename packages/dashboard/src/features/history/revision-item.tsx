import { Badge, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { kinds } from '@rollkey/contract/rules'
import { FocusRegion } from '../../ui/focus-region.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { Place } from '../variables/queries.ts'
import { TextLink } from '../../ui/text-link.tsx'
import type { Change } from '../variables/change.ts'
import { useAuthorText } from './use-author-text.ts'
import type { Revision, ToldChange } from './revisions.ts'
import classes from './history.module.css'

/** So many changes are shown before one asks for all. */
const shownAtFirst = 8

interface RevisionItemProps {
  readonly revision: Revision
  readonly place: Place
  /** Whether it is how things are now. */
  readonly isPresent: boolean
  readonly showsDigests: boolean
  /** Undefined: nothing may be restored. */
  readonly onRestore: (() => void) | undefined
}

/** What one revision did, by whom, when and with what. */
export function RevisionItem({ revision, place, isPresent, showsDigests, onRestore }: RevisionItemProps) {
  const authorText = useAuthorText()
  const [showsAll, setShowsAll] = useState(false)
  const { changes, writtenAtMs } = revision
  const shown = { place, showsDigests }
  return (
    <li className={classes['revision']}>
      <div>
        <Group gap="xs">
          <Title order={2} size="h5">
            Revision {revision.revision}
          </Title>
          {isPresent && <Badge>Now</Badge>}
        </Group>
        <Text size="sm" className="wrapping">
          {authorText(revision)}
        </Text>
        <Text size="sm" c="dimmed">
          <TimeText ms={writtenAtMs} />
        </Text>
      </div>
      <Stack gap="xs" align="flex-start">
        <ChangeItems changes={changes.slice(0, shownAtFirst)} {...shown} />
        {showsAll && (
          <FocusRegion>
            <ChangeItems changes={changes.slice(shownAtFirst)} {...shown} />
          </FocusRegion>
        )}
        {!showsAll && changes.length > shownAtFirst && (
          <Button size="compact-sm" variant="default" onClick={() => setShowsAll(true)}>
            Show all {changes.length.toLocaleString()}
          </Button>
        )}
      </Stack>
      {onRestore && !isPresent && (
        <Button
          size="sm"
          variant="default"
          aria-label={`Restore as at revision ${revision.revision}`}
          onClick={onRestore}
        >
          Restore
        </Button>
      )}
    </li>
  )
}

interface ChangeItemsProps {
  readonly changes: readonly ToldChange[]
  readonly place: Place
  readonly showsDigests: boolean
}

function ChangeItems({ changes, ...props }: ChangeItemsProps) {
  return (
    <Stack component="ul" className="plain-list" gap="xs">
      {changes.map((told) => (
        <ChangeItem key={told.change.name} told={told} {...props} />
      ))}
    </Stack>
  )
}

interface ChangeItemProps {
  readonly told: ToldChange
  readonly place: Place
  readonly showsDigests: boolean
}

/** What became of one variable; its name leads to all that became of it. */
function ChangeItem({ told: { change, words }, place, showsDigests }: ChangeItemProps) {
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

/** Characters of a digest: enough to tell the values of a variable apart. */
const shownCharacters = 8

interface ChangedDigestsProps {
  readonly change: Change
}

/** Old and new values by their digests. */
function ChangedDigests({ change: { kind, before, digests } }: ChangedDigestsProps) {
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

import type { HistoryChange, StageSlugs } from '@rollkey/sdk/core'
import { Box, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { pastTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { RowsSkeleton } from '../../ui/loading.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { TextLink } from '../../ui/buttons.tsx'
import { useChangedValues, ValueDiff } from './changed-values.tsx'
import { type ChangedValues, useAuthorName, useAuthorText } from '../../data/history/queries.ts'
import { differences } from '../../data/variables/comparison.ts'
import { capitalized, labels as variableLabels } from '../../data/variables/labels.ts'
import { changesQuery } from '../../data/variables/queries.ts'
import { labels } from './labels.ts'

interface RecentChangesProps {
  readonly place: StageSlugs
  readonly name: string
}

export function RecentChanges({ place, name }: RecentChangesProps) {
  const { data, error } = useQuery(changesQuery(useScope(), place, name))
  const values = useChangedValues(place, name, data ?? [])
  return (
    <Stack gap="xs">
      <ErrorNotice error={error} />
      {!data && !error && <RowsSkeleton rows={3} />}
      {data && <ChangeList changes={data} values={values} />}
      <TextLink
        from="/o/$orgSlug"
        to="./p/$projectSlug/history"
        params={{ projectSlug: place.projectSlug }}
        search={{ stage: place.stageSlug, name }}
        size="sm"
      >
        {labels.fullHistory}
      </TextLink>
    </Stack>
  )
}

interface ChangeListProps {
  /** Changes of one variable. */
  readonly changes: readonly HistoryChange[]
  /** What the changes replaced and wrote, where it is not secret. */
  readonly values?: readonly ChangedValues[]
}

export function ChangeList({ changes, values = [] }: ChangeListProps) {
  return (
    <Stack component="ul" className="plain-list wrapping" gap="xs">
      {changes.map((change) => (
        <li key={change.revision}>
          <ChangeText change={change} />
          <ValueDiff change={change} values={values} />
        </li>
      ))}
    </Stack>
  )
}

interface ChangeTextProps {
  readonly change: HistoryChange
}

/** Shows what someone did, with which client and when. */
export function ChangeText({ change }: ChangeTextProps) {
  const authorText = useAuthorText()
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Text size="sm">{variableLabels.changedBy(change.change, authorText(change))}</Text>
        <Text size="sm" c="dimmed">
          <RelativeTime ms={change.writtenAtMs} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed">
        {capitalized(differencesIn(change).join(' · '))}
      </Text>
    </>
  )
}

/** Returns what a change of a variable that stayed there did, such as "chance 10% → 25%". */
function differencesIn({ before, kind, digests, ...change }: HistoryChange): readonly string[] {
  return before && kind && digests ? differences(before, { ...change, kind, digests }) : []
}

interface ChangedNoticeProps {
  readonly place: StageSlugs
  readonly name: string
  /** The revision that the person saw. */
  readonly seen: number
  /** Whether it says nothing, because of a save. */
  readonly isSilent: boolean
  /** What the change means for the form. */
  readonly children: ReactNode
}

/** Shows before a save that someone else changed the variable. */
export function ChangedNotice({ place, name, seen, isSilent, children }: ChangedNoticeProps) {
  const { data } = useQuery(changesQuery(useScope(), place, name))
  const authorName = useAuthorName()
  const nowMs = useNow()
  const newest = data?.[0]
  const isShown = newest !== undefined && newest.revision > seen && !isSilent
  return (
    <Box role="status" mb={isShown ? 'md' : 0}>
      {isShown && (
        <Notice kind="warning">
          {variableLabels.changedMeanwhile(authorName(newest), newest.change, pastTime(newest.writtenAtMs, nowMs))}{' '}
          {children}
        </Notice>
      )}
    </Box>
  )
}

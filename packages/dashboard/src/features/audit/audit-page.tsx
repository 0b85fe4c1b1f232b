import type { AuditEntry } from '@rollkey/sdk/core'
import { Anchor, Group, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { memo, type ReactNode, useMemo } from 'react'
import { documentationUrl } from '../../ui/labels.ts'
import { exactTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { useSubjectName } from '../../data/access/names.ts'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { useScope } from '../../session/scope.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { focusHeading } from '../../ui/focus.ts'
import { IconAudit, IconFilter, IconSettings, IconToken } from '../../ui/icons.ts'
import { ShowOlder } from '../../ui/data-table.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { TextLink } from '../../ui/buttons.tsx'
import { focusChosenRow, Timeline, TimelineDetails, TimelineLink, TimelineText } from '../../ui/timeline.tsx'
import { usePersonName } from '../../data/members.ts'
import { auditSearch, type AuditSearch, countFilters } from '../../data/audit/audit-search.ts'
import { AuditFilters } from './audit-filters.tsx'
import { ExportButton } from './export-button.tsx'
import { actorName, isOfService, labels, phraseOf, factTexts } from './labels.ts'
import { auditQuery, entryQuery } from '../../data/audit/queries.ts'
import { placeName } from '../../data/projects/labels.ts'

export function AuditPage() {
  const search = useSearch({ from: '/signed-in/o/$orgSlug/audit' })
  const mayRead = useMay()('manage')
  return (
    <Page title={labels.title} lead={labels.lead} actions={mayRead && <ExportButton search={search} />}>
      <RequireVerb verb="manage" what={labels.read}>
        <AuditLog />
      </RequireVerb>
    </Page>
  )
}

function AuditLog() {
  const { search, setSearch } = useAuditSearch()
  const log = useInfiniteQuery(auditQuery(useScope(), search))
  const entries = useMemo(() => log.data?.pages.flat() ?? [], [log.data])
  const { entry: chosen } = search
  const isFiltered = countFilters(search) > 0
  const clear = (): void => {
    setSearch()
    focusHeading()
  }
  const close = (): void => {
    focusChosenRow()
    setSearch({ entry: undefined })
  }
  return (
    <>
      <AuditFilters search={search} onChange={setSearch} onClear={isFiltered ? clear : undefined} entries={entries} />
      <LoadError error={log.error} />
      {log.isPending && <RowsSkeleton />}
      {log.data && entries.length === 0 && <NoEntries isFiltered={isFiltered} />}
      <Timeline
        label={labels.title}
        items={entries}
        keyOf={({ seq }) => String(seq)}
        msOf={({ atMs }) => atMs}
        row={(entry) => <AuditRow entry={entry} hasDetails={chosen !== undefined} />}
        chosen={chosen}
        details={chosen !== undefined && <ChosenEntry seq={Number(chosen)} entries={entries} onClose={close} />}
      />
      <ShowOlder list={log} />
      <Text size="sm" c="dimmed">
        {labels.checkpoints} <Anchor href={`${documentationUrl}audit#verify`}>{labels.verify}</Anchor>
      </Text>
    </>
  )
}

interface NoEntriesProps {
  readonly isFiltered: boolean
}

function NoEntries(props: NoEntriesProps) {
  return props.isFiltered ? (
    <EmptyState icon={IconFilter} title={labels.noMatch}>
      {labels.noMatchText}
    </EmptyState>
  ) : (
    <EmptyState icon={IconAudit} title={labels.none}>
      {labels.noneText}
    </EmptyState>
  )
}

/** Returns the search of the address, and a function that changes it or, without an argument, clears it. */
function useAuditSearch() {
  const search = useSearch({ from: '/signed-in/o/$orgSlug/audit' })
  const navigate = useNavigate({ from: '/o/$orgSlug/audit' })
  const setSearch = (change?: AuditSearch): void => {
    void navigate({
      search: (before) => auditSearch(change ? { ...before, ...change } : {}),
      replace: true,
      resetScroll: false,
    })
  }
  return { search, setSearch }
}

interface AuditRowProps {
  readonly entry: AuditEntry
  /** Whether the details of an entry are open. */
  readonly hasDetails: boolean
}

/** One of hundreds of rows, which do not render again when new ones come. */
const AuditRow = memo(function AuditRow({ entry, hasDetails }: AuditRowProps) {
  const personName = usePersonName()
  const { how, atMs, seq } = entry
  const hasGear = how === 'operator' || how === undefined || isOfService(entry)
  return (
    <TimelineLink
      from="/o/$orgSlug/audit"
      to="."
      search={(before) => ({ ...before, entry: String(seq) })}
      // One step back closes the details, however many were opened.
      replace={hasDetails}
      resetScroll={false}
    >
      <TimelineText
        who={actorName(entry, personName)}
        icon={how === 'service' ? IconToken : hasGear ? IconSettings : undefined}
        ms={atMs}
      >
        <Sentence entry={entry} />
      </TimelineText>
    </TimelineLink>
  )
})

interface EntryProps {
  readonly entry: AuditEntry
}

/** Shows what was done. */
function Sentence({ entry }: EntryProps) {
  const [did, what = '', where = ''] = phraseOf(entry, useSubjectName())
  const hasName = entry.names?.length === 1 && what === entry.names[0]
  return (
    <>
      {did} {what !== '' && <bdi>{hasName ? <code>{what}</code> : what}</bdi>} {where}
    </>
  )
}

interface ChosenEntryProps {
  readonly seq: number
  /** The entries of the list. An address may name an older one. */
  readonly entries: readonly AuditEntry[]
  readonly onClose: () => void
}

function ChosenEntry({ seq, entries, onClose }: ChosenEntryProps) {
  const listed = entries.find((entry) => entry.seq === seq)
  const { data, error } = useQuery({ ...entryQuery(useScope(), seq), enabled: !listed })
  const entry = listed ?? data
  return (
    <TimelineDetails title={labels.entry(seq)} onClose={onClose}>
      {entry ? (
        <EntryDetails entry={entry} />
      ) : error ? (
        <LoadError error={error} />
      ) : data === null ? (
        labels.noEntry
      ) : (
        <RowsSkeleton rows={3} />
      )}
    </TimelineDetails>
  )
}

/** Shows all fields of an entry. */
function EntryDetails({ entry }: EntryProps) {
  const personName = usePersonName()
  const { facts } = labels
  const { atMs, actor, client, names, revision, requestId, projectSlug, stageSlug } = entry
  const shown: Record<string, ReactNode> = {
    [facts.time]: <time dateTime={new Date(atMs).toISOString()}>{exactTime(atMs)}</time>,
    [facts.who]: actor === undefined ? undefined : <bdi>{actorName(entry, personName)}</bdi>,
    [facts.actor]: actor === undefined ? undefined : <code>{actor}</code>,
    [facts.client]: client === undefined ? undefined : <bdi>{client}</bdi>,
    [facts.place]: projectSlug === undefined ? undefined : placeName(entry),
    [facts.variables]: names && (
      <ul className="plain-list">
        {names.map((name) => (
          <li key={name}>
            <bdi>
              <code>{name}</code>
            </bdi>
          </li>
        ))}
      </ul>
    ),
    [facts.revision]: revision !== undefined && projectSlug !== undefined && stageSlug !== undefined && (
      <Group gap="xs">
        {revision}
        <TextLink
          from="/o/$orgSlug"
          to="./p/$projectSlug/history"
          params={{ projectSlug }}
          search={{ stage: stageSlug, revision: String(revision) }}
        >
          {labels.history}
        </TextLink>
      </Group>
    ),
    ...Object.fromEntries(factTexts(entry).map(([name, text]) => [name, <bdi key={name}>{text}</bdi>])),
    [facts.request]: requestId === undefined ? undefined : <code>{requestId}</code>,
    [facts.details]: actor === undefined ? labels.detailsRemoved : undefined,
  }
  const known = Object.entries(shown).filter(([, fact]) => fact !== undefined && fact !== false)
  return (
    <>
      <Text className="wrapping">
        <bdi>{actorName(entry, personName)}</bdi> <Sentence entry={entry} />
      </Text>
      <DescriptionList facts={Object.fromEntries(known)} />
    </>
  )
}

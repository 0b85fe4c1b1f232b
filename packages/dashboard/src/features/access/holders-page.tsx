import type { Group as PeopleGroup, Project } from '@rollkey/sdk/core'
import { Badge, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { Verb } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { absoluteTime, localTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { Command } from '../../ui/copy.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconPeople } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { useNow } from '../../ui/time.tsx'
import { WithProject } from '../../parts/projects/with-project.tsx'
import { holdersSearch, type HoldersSearch } from './access-search.ts'
import { labels } from './labels.ts'
import { chosenStage } from '../../data/projects/queries.ts'
import { MissingStage } from '../../parts/projects/missing-stage.tsx'
import { keyOf, type Named } from '../../data/access/matrix.ts'
import { unlisted, useNamed } from '../../data/access/names.ts'
import { PrincipalName } from './principal-name.tsx'
import { groupsQuery, type Holders, holdersQuery } from '../../data/access/queries.ts'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { placeName } from '../../data/projects/labels.ts'

const words = labels.holders

/** Shows who could read a stage at a time, which is in the address. */
export function HoldersPage() {
  return <WithProject>{(project) => <HoldersOf project={project} />}</WithProject>
}

interface HoldersOfProps {
  readonly project: Project
}

function HoldersOf({ project }: HoldersOfProps) {
  const search = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/access/holders' })
  const [first] = project.stages
  const stage = chosenStage(project.stages, search.stage)
  if (!first) return <Page title={words.title} lead={words.noStages} />
  const place = { projectSlug: project.projectSlug, stageSlug: (stage ?? first).stageSlug }
  return (
    <Page title={words.title} lead={words.lead}>
      <RequireVerb verb="manage" at={place} what={labels.access.manage}>
        <Choice project={project} stageSlug={stage?.stageSlug} search={search} />
        {stage ? (
          <Answer place={place} verb={search.verb ?? 'read'} at={search.at} />
        ) : (
          <MissingStage project={project} stageSlug={search.stage} />
        )}
      </RequireVerb>
    </Page>
  )
}

interface ChoiceProps extends HoldersOfProps {
  /** Undefined if the address names one that does not exist. */
  readonly stageSlug: string | undefined
  readonly search: HoldersSearch
}

/** Chooses the stage, the verb and the time. */
function Choice({ project, stageSlug, search }: ChoiceProps) {
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/access/holders' })
  const nowMs = useNow()
  const change = (next: Record<string, unknown>): void =>
    void navigate({ search: holdersSearch({ ...search, ...next }), replace: true, resetScroll: false })
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label={words.stage}
        data={[
          ...(stageSlug === undefined ? [{ value: '', label: words.choose }] : []),
          ...project.stages.map(({ stageSlug: value, name }) => ({ value, label: name })),
        ]}
        value={stageSlug ?? ''}
        onChange={({ currentTarget }) => change({ stage: currentTarget.value })}
      />
      <NativeSelect
        label={words.verb}
        data={Object.entries(words.verbs).map(([value, label]) => ({ value, label }))}
        value={search.verb ?? 'read'}
        onChange={({ currentTarget }) => change({ verb: currentTarget.value })}
      />
      <TextInput
        label={words.at}
        type="datetime-local"
        max={localTime(nowMs)}
        value={search.at ?? localTime(nowMs)}
        onChange={({ currentTarget }) => change({ at: currentTarget.value })}
      />
    </Group>
  )
}

interface AnswerProps {
  readonly place: { readonly projectSlug: string; readonly stageSlug: string }
  readonly verb: Verb
  /** Local time; absent: now. */
  readonly at: string | undefined
}

function Answer({ place, verb, at }: AnswerProps) {
  const scope = useScope()
  const atMs = at === undefined ? undefined : Date.parse(at)
  const { data: groups = [] } = useQuery(groupsQuery(scope))
  const named = useNamed()
  const holders = useQuery(holdersQuery(scope, place, verb, atMs))
  return (
    <Stack>
      <QueryPart query={holders} rows={6}>
        {(answer) => <HolderList answer={answer} groups={groups} named={named} />}
      </QueryPart>
      <Command what={words.command} text={words.commandText(place.projectSlug, place.stageSlug, verb, atMs)} />
    </Stack>
  )
}

interface HolderListProps {
  readonly answer: Holders
  readonly groups: readonly PeopleGroup[]
  readonly named: readonly Named[]
}

function HolderList({ answer: { atMs, isProtected, members, holders }, groups, named }: HolderListProps) {
  const nameOf = ({ principal }: Holders['holders'][number]): Named =>
    named.find((each) => keyOf(each.principal) === keyOf(principal)) ?? unlisted(principal)
  const groupOf = (id: string | undefined): string | undefined => groups.find((group) => group.id === id)?.name ?? id
  return (
    <>
      <Group gap="xs">
        <Text c="dimmed">{words.time(absoluteTime(atMs))}</Text>
        {isProtected && <StatusBadge status="protected">{words.isProtected}</StatusBadge>}
      </Group>
      {members && <Notice kind="info">{words.members}</Notice>}
      {holders.length === 0 && !members && <EmptyState icon={IconPeople} title={words.none} />}
      {holders.length > 0 && (
        <DataTable
          label={words.title}
          rows={holders}
          keyOf={(holder) => JSON.stringify(holder)}
          columns={[
            {
              key: 'who',
              header: labels.access.who,
              cell: (holder) => <PrincipalName named={nameOf(holder)} groups={groups} />,
            },
            { key: 'role', header: labels.grant.role, cell: ({ role }) => <Badge>{role}</Badge> },
            { key: 'place', header: words.grantedOn, cell: (holder) => placeName(holder) },
            { key: 'via', header: words.via, cell: ({ via }) => groupOf(via) },
          ]}
        />
      )}
    </>
  )
}

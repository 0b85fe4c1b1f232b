import type { ListedChange } from '@rollkey/sdk/core'
import { Group, SegmentedControl, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { ButtonLink, TextLink } from '../../ui/buttons.tsx'
import { DataTable, ShowOlder } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconEmpty } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useAuthorName } from '../../data/history/queries.ts'
import { useProjectsByUse } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'
import classes from './proposals.module.css'
import { allProposalsQuery, namesOf, needOf, openProposalsQuery } from '../../data/proposals/queries.ts'
import { type Shown, shownNames } from './search.ts'
import { ProductionMark } from '../../parts/projects/production-mark.tsx'
import { usePlaceOf, StateText } from '../../parts/plans/state-text.tsx'

const route = '/signed-in/o/$orgSlug/changes/'

/** Lists proposed changes, first those that wait for someone. */
export function ProposalsPage() {
  const { show = 'open' } = useSearch({ from: route })
  const navigate = useNavigate({ from: '/o/$orgSlug/changes' })
  return (
    <Page title={labels.title} lead={labels.lead}>
      <SegmentedControl
        className={classes['shown'] ?? ''}
        aria-label={labels.list}
        data={shownNames.map((value) => ({ value, label: labels.shown[value] }))}
        value={show}
        onChange={(chosen) =>
          void navigate({ search: { show: chosen === 'open' ? undefined : chosen }, replace: true })
        }
      />
      {show === 'all' ? <AllProposals /> : <OpenProposals show={show} />}
    </Page>
  )
}

interface OpenProposalsProps {
  readonly show: 'open' | 'yours'
}

function OpenProposals({ show }: OpenProposalsProps) {
  const { userId } = useViewer()
  const may = useMay()
  const query = useQuery(openProposalsQuery(useScope()))
  return (
    <QueryPart query={query}>
      {(all) => (
        <ProposalTable
          proposals={show === 'yours' ? all.filter((each) => needOf(each, userId, may) !== undefined) : all}
          show={show}
        />
      )}
    </QueryPart>
  )
}

function AllProposals() {
  const list = useInfiniteQuery(allProposalsQuery(useScope()))
  return (
    <>
      <QueryPart query={list}>{({ pages }) => <ProposalTable proposals={pages.flat()} show="all" />}</QueryPart>
      <ShowOlder list={list} />
    </>
  )
}

interface ProposalTableProps {
  readonly proposals: readonly ListedChange[]
  readonly show: Shown
}

function ProposalTable({ proposals, show }: ProposalTableProps) {
  const authorName = useAuthorName()
  const [project] = useProjectsByUse()
  if (proposals.length === 0) {
    return (
      <EmptyState
        icon={IconEmpty}
        title={labels.none[show]}
        action={
          project && (
            <ButtonLink
              variant="default"
              from="/o/$orgSlug"
              to="./p/$projectSlug"
              params={{ projectSlug: project.projectSlug }}
            >
              {labels.openProject(project.name)}
            </ButtonLink>
          )
        }
      >
        {labels.noneText}
      </EmptyState>
    )
  }
  return (
    <DataTable
      label={labels.list}
      rows={proposals}
      keyOf={({ id }) => id}
      columns={[
        { key: 'what', header: labels.what, cell: (proposal) => <What proposal={proposal} /> },
        {
          key: 'stage',
          header: labels.stage,
          isSelfEvident: true,
          cell: (proposal) => <PlaceOf proposal={proposal} />,
        },
        {
          key: 'state',
          header: labels.state,
          isSelfEvident: true,
          cell: (proposal) => <StateText proposal={proposal} />,
        },
        {
          key: 'by',
          header: labels.by,
          cell: ({ proposedBy, proposedWith, proposedAtMs }) => (
            <>
              {authorName({ writtenBy: proposedBy, client: proposedWith })}, <RelativeTime ms={proposedAtMs} />
            </>
          ),
        },
      ]}
    />
  )
}

interface ProposalProps {
  readonly proposal: ListedChange
}

function What({ proposal }: ProposalProps) {
  const { id, projectSlug, stageSlug, reason } = proposal
  return (
    <>
      <TextLink
        from="/o/$orgSlug"
        to="./changes/$changeId"
        params={{ changeId: id }}
        search={{ project: projectSlug, stage: stageSlug }}
        className="wrapping"
      >
        {reason}
      </TextLink>
      <Text size="sm" c="dimmed" className="wrapping">
        <code>{namesOf(proposal)}</code>
      </Text>
    </>
  )
}

function PlaceOf({ proposal }: ProposalProps) {
  const { project, stage } = usePlaceOf(proposal)
  return (
    <Group component="span" gap={6} display="inline-flex" wrap="nowrap">
      {labels.place(project?.name ?? proposal.projectSlug, stage?.name ?? proposal.stageSlug)}
      {stage && <ProductionMark stage={stage} />}
    </Group>
  )
}

import { SegmentedControl, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useScope } from '../../session/scope.ts'
import { ButtonLink, TextLink } from '../../ui/buttons.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconEmpty } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { useAuthorName } from '../history/queries.ts'
import { projectsQuery, useProjectsByUse } from '../projects/queries.ts'
import { labels } from './labels.ts'
import classes from './proposals.module.css'
import { type ListedProposal, namesOf, proposalsQuery } from './queries.ts'
import { type Shown, shownNames } from './search.ts'
import { stateOf } from './state.ts'
import { writeRuleOf } from './write-rule.ts'

const route = '/signed-in/o/$orgSlug/changes/'

/** Lists proposed changes, first those that wait for someone. */
export function ProposalsPage() {
  const { show = 'open' } = useSearch({ from: route })
  const navigate = useNavigate({ from: '/o/$orgSlug/changes' })
  const query = useQuery(proposalsQuery(useScope(), show !== 'all'))
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
      <QueryPart query={query} rows={4}>
        {(all) => (
          <ProposalTable proposals={show === 'yours' ? all.filter(({ needsYou }) => needsYou) : all} show={show} />
        )}
      </QueryPart>
    </Page>
  )
}

interface ProposalTableProps {
  readonly proposals: readonly ListedProposal[]
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
          cell: ({ projectSlug, stageSlug }) => labels.place(projectSlug, stageSlug),
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
  readonly proposal: ListedProposal
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
        {namesOf(proposal)}
      </Text>
    </>
  )
}

/** Shows the state of a change by what comes next. */
export function StateText({ proposal }: ProposalProps) {
  const nowMs = useNow()
  const { data } = useQuery(projectsQuery(useScope()))
  const project = data?.find(({ projectSlug }) => projectSlug === proposal.projectSlug)
  const stage = project?.stages.find(({ stageSlug }) => stageSlug === proposal.stageSlug)
  const isFrozen = stage !== undefined && writeRuleOf(stage, nowMs).frozenUntilMs !== undefined
  const { text, tone } = stateOf(proposal, nowMs, isFrozen)
  return (
    <span className={classes['state']} data-tone={tone}>
      {text}
    </span>
  )
}

import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { countText, shareText } from '../../lib/numbers.ts'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { useScope } from '../../session/scope.ts'
import { Avatar } from '../../ui/name.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { IconToken } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { usePersonName } from '../../data/members.ts'
import { serviceTokensQuery } from '../../data/service-tokens.ts'
import { labels } from './labels.ts'
import { type Callers, callersQuery } from '../../data/usage/queries.ts'
import { SpanControl } from './usage-page.tsx'
import { sumOf, usageSearch, usualSpan } from '../../data/usage/usage.ts'
import { UsedStage } from './used-stage.tsx'

const { callers: words } = labels

export function CallersPage() {
  return (
    <Page title={words.title} lead={words.lead}>
      <RequireVerb verb="manage" what={words.see}>
        <Content />
      </RequireVerb>
    </Page>
  )
}

function Content() {
  const { days: span = usualSpan } = usageSearch(useSearch({ strict: false }))
  return (
    <>
      <Group>
        <SpanControl span={span} />
      </Group>
      <QueryPart query={useQuery(callersQuery(useScope(), span))} rows={8}>
        {({ callers, more }) => (
          <>
            {callers.length === 0 ? <Text>{labels.none}</Text> : <CallersTable callers={callers} />}
            {more && <Text c="dimmed">{words.more}</Text>}
          </>
        )}
      </QueryPart>
    </>
  )
}

type Caller = Callers['callers'][number]

interface CallersTableProps {
  readonly callers: readonly Caller[]
}

function keyOf({ caller, how, projectSlug, stageSlug }: Caller): string {
  return JSON.stringify([caller, how, projectSlug, stageSlug])
}

function CallersTable({ callers }: CallersTableProps) {
  const nameOf = useCallerName()
  const total = sumOf(callers)
  return (
    <DataTable
      label={words.table}
      columns={[
        {
          key: 'who',
          header: words.who,
          cell: (each) => (
            <Group gap="xs" wrap="nowrap">
              <Avatar name={nameOf(each)} {...(each.how === 'service' && { icon: IconToken })} />
              <bdi className="wrapping">{nameOf(each)}</bdi>
            </Group>
          ),
        },
        {
          key: 'how',
          header: words.how,
          isSelfEvident: true,
          cell: ({ how }) => (how === undefined ? '–' : words.hows[how]),
        },
        {
          key: 'stage',
          header: labels.stage,
          isSelfEvident: true,
          cell: ({ projectSlug, stageSlug }) => (
            <UsedStage
              place={projectSlug === undefined || stageSlug === undefined ? undefined : { projectSlug, stageSlug }}
            />
          ),
        },
        {
          key: 'evaluations',
          header: labels.evaluations,
          align: 'end',
          cell: ({ evaluations }) => countText(evaluations),
        },
        {
          key: 'share',
          header: words.share,
          align: 'end',
          cell: ({ evaluations }) => shareText(evaluations, total),
        },
      ]}
      rows={callers}
      keyOf={keyOf}
    />
  )
}

/** Returns the name of a person or a service token; the id of a token that has ended. */
function useCallerName(): (caller: Caller) => string {
  const personName = usePersonName()
  const { data: tokens = [] } = useQuery(serviceTokensQuery(useScope()))
  return ({ caller, how }) => {
    if (caller === undefined) return words.unknown
    return how === 'service' ? (tokens.find(({ id }) => id === caller)?.name ?? caller) : personName(caller)
  }
}

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
import { clientKeysQuery } from '../../data/client-keys.ts'
import { serviceTokensQuery } from '../../data/service-tokens.ts'
import { trustsQuery } from '../../data/trusts.ts'
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
          cell: ({ caller, how }) => (how === undefined ? '–' : (words.services[prefixOf(caller)] ?? words.hows[how])),
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

/** Returns the prefix of an id, which says of what it is. */
function prefixOf(id = ''): string {
  return id.slice(0, id.indexOf('_') + 1)
}

/** Returns the name of a person or a credential of a service; the id of one that has ended. */
function useCallerName(): (caller: Caller) => string {
  const personName = usePersonName()
  const scope = useScope()
  const { data: tokens = [] } = useQuery(serviceTokensQuery(scope))
  const { data: keys = [] } = useQuery(clientKeysQuery(scope))
  const { data: trusts = [] } = useQuery(trustsQuery(scope))
  const services = [...tokens, ...keys, ...trusts]
  return ({ caller, how }) => {
    if (caller === undefined) return words.unknown
    return how === 'service' ? (services.find(({ id }) => id === caller)?.name ?? caller) : personName(caller)
  }
}

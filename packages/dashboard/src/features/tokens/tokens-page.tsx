import { Badge, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ListedServiceToken } from '@rollkey/contract'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { absoluteDate, absoluteTime } from '../../lib/time.ts'
import { useMayAnywhere } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { useCommands } from '../../ui/commands.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconAdd, IconToken } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { RevokeButton } from '../../ui/confirm-dialog.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { usePersonName } from '../../data/members.ts'
import { useExampleStage } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'
import { NewToken } from './new-token.tsx'
import { RotateToken } from './rotate-token.tsx'
import { revokeServiceToken, serviceTokensQuery } from '../../data/service-tokens.ts'
import { placeName } from '../../data/projects/labels.ts'
import { labels as credentialLabels } from '../../parts/credentials/labels.ts'

export function TokensPage() {
  const mayManage = useMayAnywhere('manage')
  const { data } = useQuery({ ...serviceTokensQuery(useScope()), enabled: mayManage })
  const [isOpen, { open, close }] = useDisclosure()
  const newToken = mayManage && <NewTokenButton onClick={open} />
  return (
    <Page title={labels.title} lead={labels.lead} actions={data?.length !== 0 && newToken}>
      <RequireVerb verb="manage" at="anywhere" what={labels.manage}>
        <TokenList newToken={newToken} />
      </RequireVerb>
      <NewToken opened={isOpen} onClose={close} />
    </Page>
  )
}

interface NewTokenButtonProps {
  readonly onClick: () => void
}

function NewTokenButton({ onClick }: NewTokenButtonProps) {
  useCommands([{ id: 'new-token', label: labels.create.button, keys: 'n', icon: IconToken, run: onClick }])
  return (
    <Button leftSection={<IconAdd size={16} />} onClick={onClick}>
      {labels.create.button}
    </Button>
  )
}

interface TokenListProps {
  /** The button that creates one. */
  readonly newToken: ReactNode
}

function TokenList({ newToken }: TokenListProps) {
  const { data, error } = useQuery(serviceTokensQuery(useScope()))
  const example = useExampleStage()
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton />
  if (data.length === 0) {
    return (
      <EmptyState
        icon={IconToken}
        title={labels.none}
        action={newToken}
        command={{ what: labels.noneCommand, text: labels.noneCommandText(example) }}
      >
        {labels.noneNext}
      </EmptyState>
    )
  }
  return (
    <>
      <LoadError error={error} />
      <DataTable
        label={labels.title}
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          { key: 'name', header: labels.name, cell: (token) => <TokenName token={token} /> },
          { key: 'role', header: labels.role, isSelfEvident: true, cell: ({ role }) => role },
          {
            key: 'scope',
            header: labels.scope,
            isSelfEvident: true,
            cell: (token) => labels.scopeOf(placeName(token), token.history),
          },
          {
            key: 'used',
            header: labels.lastUsed,
            cell: ({ lastUsedAtMs }) =>
              lastUsedAtMs === undefined ? labels.never : <RelativeTime ms={lastUsedAtMs} />,
          },
          { key: 'expires', header: labels.expires, cell: (token) => <Expiry token={token} /> },
          {
            key: 'actions',
            header: credentialLabels.actions,
            isHeaderHidden: true,
            align: 'end',
            cell: (token) => (
              <Group gap="xs" wrap="nowrap" justify="flex-end">
                <RotateToken token={token} />
                <RevokeToken token={token} />
              </Group>
            ),
          },
        ]}
      />
    </>
  )
}

interface TokenProps {
  readonly token: ListedServiceToken
}

function TokenName({ token: { name, creator, createdBy, createdAtMs } }: TokenProps) {
  const personName = usePersonName()
  const creatorName = creator === 'operator' ? labels.operator : personName(createdBy)
  return (
    <>
      <Text fw={500} className="wrapping">
        {name}
      </Text>
      <Text size="sm" c="dimmed">
        {credentialLabels.createdBy(creatorName, absoluteDate(createdAtMs))}
      </Text>
      {creator === 'left' && <Text size="sm">{labels.creatorLeft}</Text>}
    </>
  )
}

const soonMs = 14 * 86_400_000

function Expiry({ token: { expiresAtMs, formerExpiresAtMs = 0 } }: TokenProps) {
  const nowMs = useNow()
  const leftMs = expiresAtMs - nowMs
  return (
    <>
      <Group gap="xs">
        {absoluteDate(expiresAtMs)}
        {leftMs <= 0 && <Badge color="red">{labels.expired}</Badge>}
        {leftMs > 0 && leftMs < soonMs && <Badge color="yellow">{labels.expiring}</Badge>}
      </Group>
      {formerExpiresAtMs > nowMs && (
        <Text size="sm" c="dimmed">
          {labels.formerUntil(absoluteTime(formerExpiresAtMs))}
        </Text>
      )}
    </>
  )
}

function RevokeToken({ token: { id, name } }: TokenProps) {
  const scope = useScope()
  return (
    <RevokeButton
      what={labels.revoke.what(name)}
      revoke={() => revokeServiceToken(scope, id)}
      queryKey={serviceTokensQuery(scope).queryKey}
    >
      {labels.revoke.text}
    </RevokeButton>
  )
}

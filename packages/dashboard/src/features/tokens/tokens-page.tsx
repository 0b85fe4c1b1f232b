import { Badge, Group, Text } from '@mantine/core'
import type { ListedServiceToken } from '@rollkey/contract'
import { absoluteDate, absoluteTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { useNow } from '../../ui/time.tsx'
import { RevokeButton } from '../../ui/confirm-dialog.tsx'
import { usePersonName } from '../../data/members.ts'
import { labels } from './labels.ts'
import { NewToken } from './new-token.tsx'
import { RotateToken } from './rotate-token.tsx'
import { revokeServiceToken, serviceTokensQuery } from '../../data/service-tokens.ts'
import { placeName } from '../../data/projects/labels.ts'
import { actions, CredentialsPage, lastUsed } from '../../parts/credentials/credentials-page.tsx'
import { labels as credentialLabels } from '../../parts/credentials/labels.ts'

export function TokensPage() {
  return (
    <CredentialsPage
      words={labels}
      query={serviceTokensQuery(useScope())}
      command="new-token"
      columns={[
        { key: 'name', header: labels.name, cell: (token) => <TokenName token={token} /> },
        { key: 'role', header: labels.role, isSelfEvident: true, cell: ({ role }) => role },
        {
          key: 'scope',
          header: labels.scope,
          isSelfEvident: true,
          cell: (token) => labels.scopeOf(placeName(token), token.history),
        },
        lastUsed,
        { key: 'expires', header: labels.expires, cell: (token) => <Expiry token={token} /> },
        {
          ...actions,
          cell: (token) => (
            <Group gap="xs" wrap="nowrap" justify="flex-end">
              <RotateToken token={token} />
              <RevokeToken token={token} />
            </Group>
          ),
        },
      ]}
      form={(form) => <NewToken {...form} />}
    />
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

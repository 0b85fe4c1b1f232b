import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ListedServiceToken } from '@rollkey/contract'
import { RequireRole } from '../../session/require-role.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { useScope } from '../../session/use-scope.ts'
import { absoluteDate } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { RevokeButton } from '../../ui/revoke-button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { usePersonName } from '../members/use-person-name.ts'
import { placeName } from '../projects/stage-name.ts'
import { NewToken } from './new-token.tsx'
import { revokeServiceToken, serviceTokensQuery } from './queries.ts'
import { labels } from './labels.ts'

export function TokensPage() {
  return (
    <Page title={labels.title} lead={labels.lead}>
      <RequireRole what={labels.right}>
        <NewTokenButton />
        <TokenList />
      </RequireRole>
    </Page>
  )
}

function NewTokenButton() {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Group>
        <Button onClick={open}>{labels.create.button}</Button>
      </Group>
      <NewToken opened={isOpen} onClose={close} />
    </>
  )
}

function TokenList() {
  const { data, error } = useQuery(serviceTokensQuery(useScope()))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  if (data.length === 0) {
    return (
      <Text c="dimmed">
        {labels.none}. {labels.noneNext}
      </Text>
    )
  }
  return (
    <>
      <ErrorNotice error={error} />
      <RecordTable label={labels.title} columns={labels.columns}>
        {data.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </RecordTable>
    </>
  )
}

interface TokenRowProps {
  readonly token: ListedServiceToken
}

function TokenRow({ token }: TokenRowProps) {
  const scope = useScope()
  const personName = usePersonName()
  const { id, name, readOnly, history, createdBy, creator, createdAtMs, expiresAtMs, lastUsedAtMs } = token
  return (
    <RecordRow>
      <RecordCell>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {labels.createdBy(
            creator === 'operator' ? labels.operator : personName(createdBy),
            absoluteDate(createdAtMs),
          )}
        </Text>
        {creator === 'left' && <Text size="sm">{labels.creatorLeft}</Text>}
      </RecordCell>
      <RecordCell label={labels.scope}>{labels.scopeOf(!readOnly, placeName(token), history)}</RecordCell>
      <RecordCell label={labels.lastUsed}>
        {lastUsedAtMs === undefined ? labels.never : <TimeText ms={lastUsedAtMs} />}
      </RecordCell>
      <RecordCell label={labels.expires}>{absoluteDate(expiresAtMs)}</RecordCell>
      <RecordCell>
        <RevokeButton
          what={labels.revoke.what(name)}
          revoke={() => revokeServiceToken(scope, id)}
          queryKey={serviceTokensQuery(scope).queryKey}
        >
          {labels.revoke.text}
        </RevokeButton>
      </RecordCell>
    </RecordRow>
  )
}

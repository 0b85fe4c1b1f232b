import { Button, Group, Modal, Text } from '@mantine/core'
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

export function TokensPage() {
  return (
    <Page
      title="Service tokens"
      lead="Credentials for applications and CI. They belong to the organization, not to a person."
    >
      <RequireRole what="make and revoke service tokens">
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
        <Button onClick={open}>New token</Button>
      </Group>
      {/* The token is shown once: a slip beside it must not lose it. */}
      <Modal opened={isOpen} onClose={close} title="New service token" closeOnClickOutside={false}>
        <NewToken onDone={close} />
      </Modal>
    </>
  )
}

function TokenList() {
  const { data, error } = useQuery(serviceTokensQuery(useScope()))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  if (data.length === 0) {
    return (
      <Text c="dimmed">
        There is none yet. An application reads its variables with one: create one for each, with no more reach than it
        needs.
      </Text>
    )
  }
  return (
    <>
      <ErrorNotice error={error} />
      <RecordTable label="Service tokens" columns={['Name', 'Reach', 'Last used', 'Expires', 'Actions']}>
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
          Made by {creator === 'operator' ? 'the operator' : personName(createdBy)} on {absoluteDate(createdAtMs)}
        </Text>
        {creator === 'left' && (
          <Text size="sm">Whoever made it has left the organization. Replace it, in case they kept a copy.</Text>
        )}
      </RecordCell>
      <RecordCell label="Reach">
        {readOnly ? 'Reads' : 'Reads and writes'} {placeName(token)}
        {history && ', with its history'}
      </RecordCell>
      <RecordCell label="Last used">{lastUsedAtMs === undefined ? 'Never' : <TimeText ms={lastUsedAtMs} />}</RecordCell>
      <RecordCell label="Expires">{absoluteDate(expiresAtMs)}</RecordCell>
      <RecordCell>
        <RevokeButton
          what={`the token ${name}`}
          revoke={() => revokeServiceToken(scope, id)}
          queryKey={serviceTokensQuery(scope).queryKey}
        >
          Whatever uses this token is refused from its next request on. It cannot be brought back; a new token takes its
          place.
        </RevokeButton>
      </RecordCell>
    </RecordRow>
  )
}

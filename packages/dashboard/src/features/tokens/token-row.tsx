import { Text } from '@mantine/core'
import type { ListedServiceToken } from '@rollkey/contract'
import { absoluteDate } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { RevokeButton } from '../../ui/revoke-button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { usePersonName } from '../members/use-person-name.ts'
import { useScope } from '../../session/use-scope.ts'
import { revokeServiceToken, serviceTokensQuery } from './queries.ts'
import { placeName } from '../projects/stage-name.ts'

interface TokenRowProps {
  readonly token: ListedServiceToken
}

export function TokenRow({ token }: TokenRowProps) {
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

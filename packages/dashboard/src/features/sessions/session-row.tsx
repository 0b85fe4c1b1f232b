import { absoluteDate } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { RevokeButton } from '../../ui/revoke-button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { UntrustedText } from '../../ui/untrusted-text.tsx'
import { useScope } from '../../session/use-scope.ts'
import { clientSessionsQuery, revokeSession, type ClientSession } from './client-sessions.ts'

interface SessionRowProps {
  readonly session: ClientSession
  /** The name of whose it is. */
  readonly owner: string
  readonly showsOwner: boolean
  /** Whether it is one of the viewer's. */
  readonly isOwn: boolean
}

export function SessionRow({ session, owner, showsOwner, isOwn }: SessionRowProps) {
  const scope = useScope()
  const { id, clientName, createdAtMs, lastUsedAtMs, refreshTokenExpiresAtMs } = session
  return (
    <RecordRow>
      <RecordCell>
        {clientName === undefined ? 'A client without a name' : <UntrustedText>{clientName}</UntrustedText>}
      </RecordCell>
      {showsOwner && <RecordCell label="Whose">{isOwn ? `${owner} (you)` : owner}</RecordCell>}
      <RecordCell label="Logged in">{absoluteDate(createdAtMs)}</RecordCell>
      <RecordCell label="Last used">
        <TimeText ms={lastUsedAtMs} />
      </RecordCell>
      <RecordCell label="Expires">{absoluteDate(refreshTokenExpiresAtMs)}</RecordCell>
      <RecordCell>
        <RevokeButton
          what={`the session of ${clientName ?? 'a client without a name'}`}
          revoke={() => revokeSession(scope, id)}
          queryKey={clientSessionsQuery(scope, showsOwner).queryKey}
        >
          {isOwn ? 'You are' : `${owner} is`} logged out there at once. Nothing else is lost: a new login brings it
          back.
        </RevokeButton>
      </RecordCell>
    </RecordRow>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { usePersonName } from '../members/use-person-name.ts'
import { useScope } from '../../session/use-scope.ts'
import { clientSessionsQuery } from './client-sessions.ts'
import { NoSessions } from './no-sessions.tsx'
import { SessionRow } from './session-row.tsx'

interface SessionListProps {
  /** Of the whole organization, not only one's own. */
  readonly everyone: boolean
  /** The viewer's id, once it is known. */
  readonly ownUserId: string | undefined
}

export function SessionList({ everyone, ownUserId }: SessionListProps) {
  const personName = usePersonName()
  const { data, error } = useQuery(clientSessionsQuery(useScope(), everyone))
  if (!data) return error ? <ProblemNotice error={error} /> : <Loading />
  if (data.length === 0) return <NoSessions everyone={everyone} />
  const columns = ['Client', ...(everyone ? ['Whose'] : []), 'Logged in', 'Last used', 'Expires', 'Actions']
  return (
    <>
      <ProblemNotice error={error} />
      <RecordTable label="Sessions" columns={columns}>
        {data.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            owner={personName(session.idpUserId)}
            showsOwner={everyone}
            isOwn={session.idpUserId === ownUserId}
          />
        ))}
      </RecordTable>
    </>
  )
}

import { Switch, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Response } from '@rollkey/contract'
import { manages } from '../../lib/roles.ts'
import { Page } from '../../ui/page.tsx'
import { useScope } from '../../session/use-scope.ts'
import { whoamiQuery } from '../../session/whoami.ts'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { usePersonName } from '../members/use-person-name.ts'
import { RollkeyDownload } from '../../ui/rollkey-command.tsx'
import { Section } from '../../ui/section.tsx'
import { useSettings } from '../../session/use-settings.ts'
import { absoluteDate } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { RevokeButton } from '../../ui/revoke-button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { UntrustedText } from '../../ui/untrusted-text.tsx'
import { ask, type Scope } from '../../session/scope.ts'
import { ended } from './ended.ts'

/** Those of the browser are on the account page. */
export function SessionsPage() {
  const { data: whoami } = useQuery(whoamiQuery(useScope()))
  const [everyone, setEveryone] = useState(false)
  return (
    <Page title="Sessions" lead="Command-line clients that are logged in to this organization.">
      {whoami?.role !== undefined && manages(whoami.role) && (
        <Switch
          label="Show everyone’s"
          checked={everyone}
          onChange={(event) => setEveryone(event.currentTarget.checked)}
        />
      )}
      <SessionList everyone={everyone} ownUserId={whoami?.idpUserId} />
    </Page>
  )
}

interface SessionListProps {
  /** Of the whole organization, not only one's own. */
  readonly everyone: boolean
  /** The viewer's id, once it is known. */
  readonly ownUserId: string | undefined
}

function SessionList({ everyone, ownUserId }: SessionListProps) {
  const personName = usePersonName()
  const { data, error } = useQuery(clientSessionsQuery(useScope(), everyone))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  if (data.length === 0) return <NoSessions everyone={everyone} />
  const columns = ['Client', ...(everyone ? ['Whose'] : []), 'Logged in', 'Last used', 'Expires', 'Actions']
  return (
    <>
      <ErrorNotice error={error} />
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

interface NoSessionsProps {
  readonly everyone: boolean
}

function NoSessions({ everyone }: NoSessionsProps) {
  const { publicUrl } = useSettings()
  return (
    <Section title={everyone ? 'Nobody is logged in on a command line' : 'You are not logged in on a command line'}>
      <Text>Log in from a terminal; the session is here a moment later.</Text>
      <RollkeyDownload what="the command that logs in" lines={[`login --url ${publicUrl}`]} />
    </Section>
  )
}

interface SessionRowProps {
  readonly session: ClientSession
  /** The name of whose it is. */
  readonly owner: string
  readonly showsOwner: boolean
  /** Whether it is one of the viewer's. */
  readonly isOwn: boolean
}

function SessionRow({ session, owner, showsOwner, isOwn }: SessionRowProps) {
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

/** Sessions of command-line clients. */

type ClientSession = Response<'sessionList'>['sessions'][number]

/** So often a login elsewhere is looked for while the page is seen. */
const refreshMs = 5_000

/** `everyone`: of the whole organization, for owners and admins. */
const clientSessionsQuery = (scope: Scope, everyone: boolean) =>
  queryOptions({
    queryKey: ['client-sessions', scope.orgSlug, everyone],
    queryFn: async (): Promise<readonly ClientSession[]> =>
      (await ask(scope, '/v1/sessions/list', { everyone })).sessions,
    refetchInterval: refreshMs,
  })

async function revokeSession(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, '/v1/sessions/revoke', { id }))
}

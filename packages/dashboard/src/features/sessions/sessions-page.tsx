import { Switch, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '@rollkey/sdk/core'
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
import { labels } from './labels.ts'

/** Lists CLI sessions. The account page has those of browsers. */
export function SessionsPage() {
  const { data: whoami } = useQuery(whoamiQuery(useScope()))
  const [everyone, setEveryone] = useState(false)
  return (
    <Page title={labels.title} lead={labels.lead}>
      {whoami?.role !== undefined && manages(whoami.role) && (
        <Switch
          label={labels.everyone}
          checked={everyone}
          onChange={(event) => setEveryone(event.currentTarget.checked)}
        />
      )}
      <SessionList everyone={everyone} ownUserId={whoami?.idpUserId} />
    </Page>
  )
}

interface SessionListProps {
  /** Whether to list those of the whole organization, not only the viewer's. */
  readonly everyone: boolean
  /** The viewer's id; undefined until it is known. */
  readonly ownUserId: string | undefined
}

function SessionList({ everyone, ownUserId }: SessionListProps) {
  const personName = usePersonName()
  const { data, error } = useQuery(clientSessionsQuery(useScope(), everyone))
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  if (data.length === 0) return <NoSessions everyone={everyone} />
  return (
    <>
      <ErrorNotice error={error} />
      <RecordTable label={labels.title} columns={labels.columns(everyone)}>
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
    <Section title={everyone ? labels.noneOfAnyone : labels.none}>
      <Text>{labels.noneNext}</Text>
      <RollkeyDownload what={labels.loginWhat} lines={[`login --url ${publicUrl}`]} />
    </Section>
  )
}

interface SessionRowProps {
  readonly session: ClientSession
  /** The name of the person. */
  readonly owner: string
  readonly showsOwner: boolean
  /** Whether it belongs to the viewer. */
  readonly isOwn: boolean
}

function SessionRow({ session, owner, showsOwner, isOwn }: SessionRowProps) {
  const scope = useScope()
  const { id, clientName, createdAtMs, lastUsedAtMs, refreshTokenExpiresAtMs } = session
  return (
    <RecordRow>
      <RecordCell>{clientName === undefined ? labels.unnamed : <UntrustedText>{clientName}</UntrustedText>}</RecordCell>
      {showsOwner && <RecordCell label={labels.person}>{isOwn ? labels.you(owner) : owner}</RecordCell>}
      <RecordCell label={labels.loggedIn}>{absoluteDate(createdAtMs)}</RecordCell>
      <RecordCell label={labels.lastUsed}>
        <TimeText ms={lastUsedAtMs} />
      </RecordCell>
      <RecordCell label={labels.expires}>{absoluteDate(refreshTokenExpiresAtMs)}</RecordCell>
      <RecordCell>
        <RevokeButton
          what={labels.revoke.what(clientName ?? labels.unnamed)}
          revoke={() => revokeSession(scope, id)}
          queryKey={clientSessionsQuery(scope, showsOwner).queryKey}
        >
          {isOwn ? labels.revoke.textOwn : labels.revoke.text(owner)}
        </RevokeButton>
      </RecordCell>
    </RecordRow>
  )
}

type ClientSession = Answer<'sessionList'>['sessions'][number]

/** How frequently to look for logins elsewhere while the page is visible. */
const refreshMs = 5_000

/** `everyone` lists those of the whole organization, for owners and admins. */
const clientSessionsQuery = (scope: Scope, everyone: boolean) =>
  queryOptions({
    queryKey: ['client-sessions', scope.orgSlug, everyone],
    queryFn: async (): Promise<readonly ClientSession[]> => (await ask(scope, 'sessionList', { everyone })).sessions,
    refetchInterval: refreshMs,
  })

async function revokeSession(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, 'sessionRevoke', { id }))
}

import type { Session } from '@rollkey/sdk/core'
import { Stack, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { absoluteDate } from '../../lib/time.ts'
import { useIsManager, useScope, whoamiQuery } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconDevice } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { RevokeButton, type RevokeButtonProps } from '../../ui/confirm-dialog.tsx'
import { RollkeyDownload } from '../../ui/copy.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { UntrustedText } from '../../ui/name.tsx'
import { Person } from '../../parts/people/person.tsx'
import { usePersonName } from '../../data/members.ts'
import { labels } from './labels.ts'
import { clientSessionsQuery, revokeSession } from '../../data/sessions.ts'

/** Lists CLI sessions. The account page has those of browsers. */
export function SessionsPage() {
  const { data: whoami } = useQuery(whoamiQuery(useScope()))
  const isManager = useIsManager()
  const [everyone, setEveryone] = useState(false)
  return (
    <Page
      title={labels.title}
      lead={labels.lead}
      actions={
        isManager && (
          <Switch
            label={labels.everyone}
            checked={everyone}
            onChange={(event) => setEveryone(event.currentTarget.checked)}
          />
        )
      }
    >
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
  const scope = useScope()
  const personName = usePersonName()
  const { publicUrl } = useSettings()
  const sessions = clientSessionsQuery(scope, everyone)
  const { data, error } = useQuery(sessions)
  const revocation = (id: string) => ({ revoke: () => revokeSession(scope, id), queryKey: sessions.queryKey })
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton rows={3} />
  if (data.length === 0) {
    return (
      <Stack>
        <EmptyState icon={IconDevice} title={everyone ? labels.noneOfAnyone : labels.none}>
          {labels.noneNext}
        </EmptyState>
        <RollkeyDownload what={labels.loginWhat} lines={[`login --url ${publicUrl}`]} />
      </Stack>
    )
  }
  return (
    <>
      <LoadError error={error} />
      <DataTable
        label={labels.title}
        rows={data}
        keyOf={({ id }) => id}
        columns={columnsOf({ everyone, ownUserId, personName, revocation })}
      />
    </>
  )
}

interface SessionColumns {
  readonly everyone: boolean
  readonly ownUserId: string | undefined
  readonly personName: (userId: string) => string
  /** Returns what revokes the session with this id. */
  readonly revocation: (id: string) => Pick<RevokeButtonProps, 'revoke' | 'queryKey'>
}

function columnsOf({ everyone, ownUserId, personName, revocation }: SessionColumns): readonly Column<Session>[] {
  return [
    {
      key: 'client',
      header: labels.client,
      cell: ({ clientName }) =>
        clientName === undefined ? labels.unnamed : <UntrustedText>{clientName}</UntrustedText>,
    },
    ...(everyone
      ? [
          {
            key: 'person',
            header: labels.person,
            cell: ({ idpUserId }: Session) => (
              <Person name={personName(idpUserId)} isViewer={idpUserId === ownUserId} />
            ),
          },
        ]
      : []),
    { key: 'login', header: labels.loggedIn, cell: ({ createdAtMs }) => absoluteDate(createdAtMs) },
    { key: 'used', header: labels.lastUsed, cell: ({ lastUsedAtMs }) => <RelativeTime ms={lastUsedAtMs} /> },
    {
      key: 'expires',
      header: labels.expires,
      cell: ({ refreshTokenExpiresAtMs }) => absoluteDate(refreshTokenExpiresAtMs),
    },
    {
      key: 'actions',
      header: labels.actions,
      isHeaderHidden: true,
      align: 'end',
      cell: ({ id, clientName, idpUserId }) => (
        <RevokeButton what={labels.revoke.what(clientName ?? labels.unnamed)} {...revocation(id)}>
          {idpUserId === ownUserId ? labels.revoke.textOwn : labels.revoke.text(personName(idpUserId))}
        </RevokeButton>
      ),
    },
  ]
}

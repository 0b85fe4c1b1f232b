import type { ClientKey, ListedClientKey } from '@rollkey/sdk/core'
import { Group, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { countText } from '../../lib/numbers.ts'
import { absoluteDate } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { RevokeButton } from '../../ui/confirm-dialog.tsx'
import { usePersonName } from '../../data/members.ts'
import { KeyDrawer } from './key-drawer.tsx'
import { labels } from './labels.ts'
import { NewKey } from './new-key.tsx'
import { clientKeysQuery, revokeClientKey } from '../../data/client-keys.ts'
import { placeName } from '../../data/projects/labels.ts'
import { actions, CredentialsPage, lastUsed } from '../../parts/credentials/credentials-page.tsx'
import { labels as credentialLabels } from '../../parts/credentials/labels.ts'

/** Lists the keys with which web pages and apps evaluate what is visible to them. */
export function KeysPage() {
  const query = clientKeysQuery(useScope())
  const [shown, setShown] = useState<ClientKey>()
  return (
    <CredentialsPage
      words={labels}
      query={query}
      command="new-client-key"
      columns={[
        { key: 'name', header: labels.name, cell: (each) => <KeyName of={each} onOpen={setShown} /> },
        { key: 'stage', header: labels.stage, isSelfEvident: true, cell: (each) => placeName(each) },
        { key: 'origins', header: labels.origins, cell: ({ origins }) => <Origins origins={origins} /> },
        {
          key: 'month',
          header: labels.month,
          cell: (each) => labels.used(countText(each.evaluationsThisMonth), countText(each.evaluationsPerMonth)),
        },
        lastUsed,
        { ...actions, cell: (each) => <RevokeKey of={each} /> },
      ]}
      form={({ opened, onClose }) => (
        <NewKey
          opened={opened}
          onClose={onClose}
          onCreated={(key) => {
            onClose()
            setShown(key)
          }}
        />
      )}
    >
      <KeyDrawer shown={shown} onClose={() => setShown(undefined)} />
    </CredentialsPage>
  )
}

interface OfKeyProps {
  readonly of: ListedClientKey
}

function KeyName({ of, onOpen }: OfKeyProps & { readonly onOpen: (key: ClientKey) => void }) {
  const personName = usePersonName()
  return (
    <UnstyledButton onClick={() => onOpen(of)}>
      <Text fw={500} className="wrapping">
        {of.name}
      </Text>
      <Text size="sm" c="dimmed">
        {credentialLabels.createdBy(personName(of.createdBy), absoluteDate(of.createdAtMs))}
      </Text>
    </UnstyledButton>
  )
}

function Origins({ origins }: Pick<ListedClientKey, 'origins'>) {
  if (origins.length === 0) return labels.apps
  if (origins.includes('*')) return labels.any
  return origins.map((origin) => (
    <Text key={origin} size="sm" className="wrapping">
      {origin}
    </Text>
  ))
}

function RevokeKey({ of: { id, name } }: OfKeyProps) {
  const scope = useScope()
  return (
    <Group justify="flex-end">
      <RevokeButton
        what={labels.revoke.what(name)}
        revoke={() => revokeClientKey(scope, id)}
        queryKey={clientKeysQuery(scope).queryKey}
      >
        {labels.revoke.text}
      </RevokeButton>
    </Group>
  )
}

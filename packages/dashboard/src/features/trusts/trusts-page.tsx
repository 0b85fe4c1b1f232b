import type { Trust } from '@rollkey/sdk/core'
import { Group, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { placeName } from '../../data/projects/labels.ts'
import { deleteTrust, trustsQuery } from '../../data/trusts.ts'
import { actions, CredentialsPage, lastUsed } from '../../parts/credentials/credentials-page.tsx'
import { useScope } from '../../session/scope.ts'
import { RevokeButton } from '../../ui/confirm-dialog.tsx'
import { labels } from './labels.ts'
import { NewTrust } from './new-trust.tsx'
import { TrustDrawer } from './trust-drawer.tsx'
import classes from './trusts.module.css'

/** Lists what lets jobs and workloads in without a stored secret. */
export function TrustsPage() {
  const scope = useScope()
  const query = trustsQuery(scope)
  const [opened, setOpened] = useState<Trust>()
  return (
    <CredentialsPage
      words={labels}
      query={query}
      command="new-trust"
      columns={[
        { key: 'name', header: labels.name, cell: (trust) => <TrustName trust={trust} onOpen={setOpened} /> },
        {
          key: 'claims',
          header: labels.claims,
          cell: ({ claims }) =>
            claims.map(({ name, value }) => (
              <code key={name} className={classes['claims']}>
                {name}={value}
              </code>
            )),
        },
        { key: 'role', header: labels.role, isSelfEvident: true, cell: ({ role }) => role },
        { key: 'scope', header: labels.scope, isSelfEvident: true, cell: (trust) => placeName(trust) },
        lastUsed,
        {
          ...actions,
          header: labels.delete.button,
          cell: ({ id, name }) => (
            <Group justify="flex-end">
              <RevokeButton
                what={name}
                words={labels.delete}
                revoke={() => deleteTrust(scope, id)}
                queryKey={query.queryKey}
              >
                {labels.delete.text}
              </RevokeButton>
            </Group>
          ),
        },
      ]}
      form={(form) => (
        <NewTrust
          {...form}
          onCreated={(trust) => {
            form.onClose()
            setOpened(trust)
          }}
        />
      )}
    >
      <TrustDrawer trust={opened} onClose={() => setOpened(undefined)} onChanged={setOpened} />
    </CredentialsPage>
  )
}

interface TrustNameProps {
  readonly trust: Trust
  readonly onOpen: (trust: Trust) => void
}

function TrustName({ trust, onOpen }: TrustNameProps) {
  return (
    <UnstyledButton onClick={() => onOpen(trust)}>
      <Text fw={500} className="wrapping">
        {trust.name}
      </Text>
      <Text size="sm" c="dimmed" className="wrapping">
        {trust.issuer}
      </Text>
    </UnstyledButton>
  )
}

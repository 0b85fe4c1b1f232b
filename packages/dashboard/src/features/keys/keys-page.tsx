import type { ClientKey, ListedClientKey } from '@rollkey/sdk/core'
import { Button, Group, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { countText } from '../../lib/numbers.ts'
import { absoluteDate } from '../../lib/time.ts'
import { useMayAnywhere } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useCommands } from '../../ui/commands.ts'
import { RevokeButton } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconAdd, IconToken } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { usePersonName } from '../../data/members.ts'
import { useExampleStage } from '../../data/projects/queries.ts'
import { KeyDrawer } from './key-drawer.tsx'
import { labels } from './labels.ts'
import { NewKey } from './new-key.tsx'
import { clientKeysQuery, revokeClientKey } from '../../data/client-keys.ts'
import { placeName } from '../../data/projects/labels.ts'
import { labels as tokenLabels } from '../../parts/credentials/labels.ts'

/** Lists the keys with which web pages and apps evaluate what is visible to them. */
export function KeysPage() {
  const mayManage = useMayAnywhere('manage')
  const { data } = useQuery({ ...clientKeysQuery(useScope()), enabled: mayManage })
  const [shown, setShown] = useState<ClientKey>()
  const [isCreating, { open, close }] = useDisclosure()
  const newKey = mayManage && <NewKeyButton onClick={open} />
  const created = (key: ClientKey): void => {
    close()
    setShown(key)
  }
  return (
    <Page title={labels.title} lead={labels.lead} actions={data?.length !== 0 && newKey}>
      <RequireVerb verb="manage" at="anywhere" what={labels.manage}>
        <KeyList onOpen={setShown} newKey={newKey} />
      </RequireVerb>
      <NewKey opened={isCreating} onClose={close} onCreated={created} />
      <KeyDrawer shown={shown} onClose={() => setShown(undefined)} />
    </Page>
  )
}

interface NewKeyButtonProps {
  readonly onClick: () => void
}

function NewKeyButton({ onClick }: NewKeyButtonProps) {
  useCommands([{ id: 'new-client-key', label: labels.create.button, keys: 'n', icon: IconToken, run: onClick }])
  return (
    <Button leftSection={<IconAdd size={16} />} onClick={onClick}>
      {labels.create.button}
    </Button>
  )
}

interface KeyListProps {
  readonly onOpen: (key: ClientKey) => void
  /** The button that creates one. */
  readonly newKey: ReactNode
}

function KeyList({ onOpen, newKey }: KeyListProps) {
  const { data, error } = useQuery(clientKeysQuery(useScope()))
  const example = useExampleStage()
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton />
  if (data.length === 0) {
    return (
      <EmptyState
        icon={IconToken}
        title={labels.none}
        action={newKey}
        command={{ what: labels.noneCommand, text: labels.noneCommandText(example) }}
      >
        {labels.noneNext}
      </EmptyState>
    )
  }
  return (
    <>
      <LoadError error={error} />
      <DataTable
        label={labels.title}
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          { key: 'name', header: labels.name, cell: (each) => <KeyName of={each} onOpen={onOpen} /> },
          { key: 'stage', header: labels.stage, isSelfEvident: true, cell: (each) => placeName(each) },
          { key: 'origins', header: labels.origins, cell: ({ origins }) => <Origins origins={origins} /> },
          {
            key: 'month',
            header: labels.month,
            cell: (each) => labels.used(countText(each.evaluationsThisMonth), countText(each.evaluationsPerMonth)),
          },
          {
            key: 'used',
            header: labels.lastUsed,
            cell: ({ lastUsedAtMs }) =>
              lastUsedAtMs === undefined ? labels.never : <RelativeTime ms={lastUsedAtMs} />,
          },
          {
            key: 'actions',
            header: tokenLabels.actions,
            isHeaderHidden: true,
            align: 'end',
            cell: (each) => <RevokeKey of={each} />,
          },
        ]}
      />
    </>
  )
}

interface OfKeyProps {
  readonly of: ListedClientKey
}

function KeyName({ of, onOpen }: OfKeyProps & Pick<KeyListProps, 'onOpen'>) {
  const personName = usePersonName()
  return (
    <UnstyledButton onClick={() => onOpen(of)}>
      <Text fw={500} className="wrapping">
        {of.name}
      </Text>
      <Text size="sm" c="dimmed">
        {tokenLabels.createdBy(personName(of.createdBy), absoluteDate(of.createdAtMs))}
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

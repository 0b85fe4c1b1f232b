import type { Trust } from '@rollkey/sdk/core'
import { Button, Group, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useMayAnywhere } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useCommands } from '../../ui/commands.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconAdd, IconToken } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { useExampleStage } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'
import { NewTrust } from './new-trust.tsx'
import { deleteTrust, trustsQuery } from '../../data/trusts.ts'
import { TrustDrawer } from './trust-drawer.tsx'
import classes from './trusts.module.css'
import { placeName } from '../../data/projects/labels.ts'

/** Lists what lets jobs and workloads in without a stored secret. */
export function TrustsPage() {
  const mayManage = useMayAnywhere('manage')
  const { data } = useQuery({ ...trustsQuery(useScope()), enabled: mayManage })
  const [opened, setOpened] = useState<Trust>()
  const [isCreating, { open, close }] = useDisclosure()
  const newTrust = mayManage && <NewTrustButton onClick={open} />
  const created = (trust: Trust): void => {
    close()
    setOpened(trust)
  }
  return (
    <Page title={labels.title} lead={labels.lead} actions={data?.length !== 0 && newTrust}>
      <RequireVerb verb="manage" at="anywhere" what={labels.manage}>
        <TrustList onOpen={setOpened} newTrust={newTrust} />
      </RequireVerb>
      <NewTrust opened={isCreating} onClose={close} onCreated={created} />
      <TrustDrawer trust={opened} onClose={() => setOpened(undefined)} onChanged={setOpened} />
    </Page>
  )
}

interface NewTrustButtonProps {
  readonly onClick: () => void
}

function NewTrustButton({ onClick }: NewTrustButtonProps) {
  useCommands([{ id: 'new-trust', label: labels.create.button, keys: 'n', icon: IconToken, run: onClick }])
  return (
    <Button leftSection={<IconAdd size={16} />} onClick={onClick}>
      {labels.create.button}
    </Button>
  )
}

interface TrustListProps {
  readonly onOpen: (trust: Trust) => void
  /** The button that creates one. */
  readonly newTrust: ReactNode
}

function TrustList({ onOpen, newTrust }: TrustListProps) {
  const { data, error } = useQuery(trustsQuery(useScope()))
  const example = useExampleStage()
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton />
  if (data.length === 0) {
    return (
      <EmptyState
        icon={IconToken}
        title={labels.none}
        action={newTrust}
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
          { key: 'name', header: labels.name, cell: (trust) => <TrustName trust={trust} onOpen={onOpen} /> },
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
          {
            key: 'used',
            header: labels.lastUsed,
            cell: ({ lastUsedAtMs }) =>
              lastUsedAtMs === undefined ? labels.never : <RelativeTime ms={lastUsedAtMs} />,
          },
          {
            key: 'actions',
            header: labels.delete.button,
            isHeaderHidden: true,
            align: 'end',
            cell: (trust) => <DeleteButton trust={trust} />,
          },
        ]}
      />
    </>
  )
}

interface TrustNameProps extends Pick<TrustListProps, 'onOpen'> {
  readonly trust: Trust
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

function DeleteButton({ trust: { id, name } }: Pick<TrustNameProps, 'trust'>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [isAsking, { open, close }] = useDisclosure()
  const remove = useMutation({
    mutationFn: () => deleteTrust(scope, id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(trustsQuery(scope))
      toast.success(labels.delete.done(name))
    },
  })
  return (
    <Group justify="flex-end">
      <Button size="sm" variant="subtle" color="gray" aria-label={labels.delete.of(name)} onClick={open}>
        {labels.delete.button}
      </Button>
      <ConfirmDialog
        title={labels.delete.title(name)}
        label={labels.delete.confirm}
        mutation={remove}
        opened={isAsking}
        onClose={close}
      >
        {labels.delete.text}
      </ConfirmDialog>
    </Group>
  )
}

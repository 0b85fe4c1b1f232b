import type { Group } from '@rollkey/sdk/core'
import { Button, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { absoluteDate } from '../../lib/time.ts'
import { required } from '../../lib/validation.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useCommands } from '../../ui/commands.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { IconAdd, IconPeople } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { GroupDrawer } from './group-drawer.tsx'
import { labels } from './labels.ts'
import { usePrincipalName } from '../../data/access/names.ts'
import { createGroup, groupsQuery, useAccessChange } from '../../data/access/queries.ts'
import { useProviderGroupNaming } from './provider-group.tsx'
import { RequireVerb } from '../../parts/access/require-verb.tsx'

const words = labels.groups

/** Lists the groups of people, to which grants are given. */
export function GroupsPage() {
  const mayChange = useMay()('manage')
  const { data: groups = [] } = useQuery(groupsQuery(useScope()))
  const [openId, setOpenId] = useState<string>()
  return (
    <Page
      title={words.title}
      lead={words.lead}
      // An empty list has the button.
      actions={mayChange && groups.length > 0 && <NewGroupButton onCreated={setOpenId} />}
    >
      <RequireVerb verb="manage" at="anywhere" what={words.see}>
        <GroupList onOpen={setOpenId} />
        <GroupDrawer group={groups.find(({ id }) => id === openId)} onClose={() => setOpenId(undefined)} />
      </RequireVerb>
    </Page>
  )
}

interface NewGroupProps {
  /** Opens the group, whose members are still to be added. */
  readonly onCreated: (id: string) => void
}

function NewGroupButton({ onCreated }: NewGroupProps) {
  const [isOpen, { open, close }] = useDisclosure()
  useCommands([{ id: 'new-group', label: words.create, keys: 'n', icon: IconPeople, run: open }])
  return (
    <>
      <Button leftSection={<IconAdd />} onClick={open}>
        {words.create}
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title={words.create}>
        <NewGroupForm
          onCreated={(id) => {
            close()
            onCreated(id)
          }}
        />
      </FormDrawer>
    </>
  )
}

function NewGroupForm({ onCreated }: NewGroupProps) {
  const scope = useScope()
  const form = useForm({ initialValues: { name: '', idpGroup: '' }, validate: { name: required(words.nameMissing) } })
  const create = useAccessChange(async ({ name, idpGroup }: typeof form.values) => {
    const id = await createGroup(scope, name.trim(), idpGroup.trim())
    onCreated(id)
    toast.success(words.created(name.trim()))
  })
  const naming = useProviderGroupNaming()
  return (
    <SubmitForm form={form} mutation={create} label={words.submit}>
      <TextInput
        {...form.getInputProps('name')}
        label={words.name}
        description={words.nameUse}
        autoComplete="off"
        required
        data-autofocus
      />
      {naming !== undefined && (
        <TextInput
          {...form.getInputProps('idpGroup')}
          label={labels.providerGroup.label}
          description={`${labels.providerGroup.newUse} ${naming}`}
          autoComplete="off"
        />
      )}
    </SubmitForm>
  )
}

function GroupList({ onOpen }: Pick<GroupTableProps, 'onOpen'>) {
  const groups = useQuery(groupsQuery(useScope()))
  const mayChange = useMay()('manage')
  return (
    <QueryPart query={groups} rows={4}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState
            icon={IconPeople}
            title={words.none}
            action={mayChange && <NewGroupButton onCreated={onOpen} />}
            command={{ what: words.command, text: words.commandText }}
          >
            {words.noneText}
          </EmptyState>
        ) : (
          <GroupTable groups={all} onOpen={onOpen} />
        )
      }
    </QueryPart>
  )
}

interface GroupTableProps {
  readonly groups: readonly Group[]
  readonly onOpen: (id: string) => void
}

/** How many members are named in the list. */
const namedMembers = 4

function GroupTable({ groups, onOpen }: GroupTableProps) {
  const nameOf = usePrincipalName()
  const membersOf = ({ members }: Group): string => {
    const names = members.slice(0, namedMembers).map(nameOf).join(', ')
    return members.length > namedMembers ? words.andMore(names, members.length - namedMembers) : names
  }
  return (
    <DataTable
      label={words.title}
      rows={groups}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          header: words.name,
          cell: ({ id, name }) => (
            <UnstyledButton onClick={() => onOpen(id)}>
              <Text component="span" fw={500}>
                {name}
              </Text>
            </UnstyledButton>
          ),
        },
        { key: 'count', header: words.members, align: 'end', cell: ({ members }) => members.length },
        {
          key: 'members',
          header: words.who,
          cell: (group) =>
            group.members.length > 0 && (
              <Text component="span" size="sm" c="dimmed" className="wrapping">
                {membersOf(group)}
              </Text>
            ),
        },
        {
          key: 'created',
          header: words.createdAt,
          isOptional: true,
          cell: ({ createdAtMs }) => absoluteDate(createdAtMs),
        },
      ]}
    />
  )
}

import { Badge, Group, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteHook, hooksQuery, type ListedHook } from '../../data/hooks.ts'
import { placeName } from '../../data/projects/labels.ts'
import { actions, CredentialsPage } from '../../parts/credentials/credentials-page.tsx'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { RevokeButton } from '../../ui/confirm-dialog.tsx'
import { Filters, HookDrawer } from './hook-drawer.tsx'
import { labels } from './labels.ts'
import { NewHook } from './new-hook.tsx'

/** Lists what tells other programs and chats what happens, to those who manage the organization. */
export function HooksPage() {
  const scope = useScope()
  const query = hooksQuery(scope)
  const { data = [] } = useQuery({ ...query, enabled: useMay()('manage') })
  const [openedId, setOpenedId] = useState<string>()
  return (
    <CredentialsPage
      words={labels}
      query={query}
      at={{}}
      command="new-webhook"
      columns={[
        { key: 'name', header: labels.name, cell: (hook) => <HookName hook={hook} onOpen={setOpenedId} /> },
        { key: 'format', header: labels.format, isSelfEvident: true, cell: ({ format }) => labels.formats[format] },
        { key: 'receives', header: labels.receives, cell: (hook) => <Filters hook={hook} /> },
        { key: 'scope', header: labels.scope, isSelfEvident: true, cell: (hook) => placeName(hook) },
        { key: 'state', header: labels.state, cell: (hook) => <State hook={hook} /> },
        {
          ...actions,
          cell: ({ id, name }) => (
            <Group justify="flex-end">
              <RevokeButton
                what={name}
                words={labels.delete}
                revoke={() => deleteHook(scope, id)}
                queryKey={query.queryKey}
              >
                {labels.delete.text}
              </RevokeButton>
            </Group>
          ),
        },
      ]}
      form={(form) => <NewHook {...form} onCreated={setOpenedId} />}
    >
      <HookDrawer hook={data.find(({ id }) => id === openedId)} onClose={() => setOpenedId(undefined)} />
    </CredentialsPage>
  )
}

interface OfHookProps {
  readonly hook: ListedHook
}

function HookName({ hook: { id, name, target }, onOpen }: OfHookProps & { readonly onOpen: (id: string) => void }) {
  return (
    <UnstyledButton onClick={() => onOpen(id)}>
      <Text fw={500} className="wrapping">
        {name}
      </Text>
      <Text size="sm" c="dimmed" className="wrapping">
        {target}
      </Text>
    </UnstyledButton>
  )
}

function State({ hook: { offSinceMs, failure, waiting } }: OfHookProps) {
  const { states } = labels
  if (offSinceMs !== undefined) return <Badge color={failure === undefined ? 'gray' : 'red'}>{states.off}</Badge>
  return (
    <Group gap="xs">
      {failure === undefined ? states.works : <Badge color="red">{states.failing}</Badge>}
      {waiting > 0 && (
        <Text size="sm" c="dimmed">
          {states.waiting(waiting)}
        </Text>
      )}
    </Group>
  )
}

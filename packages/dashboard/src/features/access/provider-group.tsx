import type { Group } from '@rollkey/sdk/core'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { labels } from './labels.ts'
import { updateGroup, useAccessChange } from '../../data/access/queries.ts'

const words = labels.providerGroup

/** Returns how to name a group of an identity provider; undefined if none reports the groups of people. */
export function useProviderGroupNaming(): string | undefined {
  const settings = useSettings()
  if (settings.provider === 'external') return settings.groups ? '' : undefined
  const [first] = settings.companies.filter(({ groups }) => groups)
  return first && words.naming(first.name)
}

interface ProviderGroupProps {
  readonly group: Group
}

/** Lets a group stand for one of the identity provider, or ends that. */
export function ProviderGroup({ group }: ProviderGroupProps) {
  return group.idpGroup === undefined ? (
    <Connect group={group} />
  ) : (
    <Disconnect group={group} idpGroup={group.idpGroup} />
  )
}

/** Connects after a question, because the members that were chosen here leave. */
function Connect({ group: { id, name, members } }: ProviderGroupProps) {
  const scope = useScope()
  const naming = useProviderGroupNaming()
  const [isAsking, { open, close }] = useDisclosure()
  const [typed, setTyped] = useState('')
  const idpGroup = typed.trim()
  const connection = useAccessChange(async () => {
    await updateGroup(scope, id, { idpGroup })
    close()
    toast.success(words.connected(name, idpGroup))
  })
  return (
    <>
      <Stack
        component="form"
        gap="xs"
        onSubmit={(event) => {
          event.preventDefault()
          open()
        }}
      >
        <TextInput
          label={words.label}
          description={`${words.use} ${naming ?? ''}`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <div>
          <Button type="submit" variant="default" disabled={idpGroup === ''}>
            {words.connect}
          </Button>
        </div>
      </Stack>
      <ConfirmDialog
        title={words.question(name, idpGroup)}
        label={words.submit(name)}
        isDangerous={members.length > 0}
        mutation={{ ...connection, mutate: () => connection.mutate() }}
        opened={isAsking}
        onClose={close}
      >
        {words.text(members.length)}
      </ConfirmDialog>
    </>
  )
}

function Disconnect({ group: { id, name }, idpGroup }: ProviderGroupProps & { readonly idpGroup: string }) {
  const scope = useScope()
  const disconnection = useAccessChange(async () => {
    await updateGroup(scope, id, { idpGroup: null })
    toast.success(words.disconnected(name))
  })
  return (
    <>
      <Text>{words.isConnected(idpGroup)}</Text>
      <ErrorNotice error={disconnection.error} />
      <div>
        <BusyButton variant="default" isBusy={disconnection.isPending} onClick={() => disconnection.mutate()}>
          {words.disconnect}
        </BusyButton>
      </div>
    </>
  )
}

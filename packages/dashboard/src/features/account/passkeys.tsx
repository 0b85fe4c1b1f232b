import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDisclosure } from '@mantine/hooks'
import { useForm } from '@mantine/form'
import { useSettings } from '../../session/settings.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { absoluteDate } from '../../lib/time.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { required } from '../../lib/validation.ts'
import { SubmitForm } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { addPasskey, deletePasskey, hasPasskeySupport, type Passkey, passkeysQuery } from '../../data/account.ts'
import { labels } from './labels.ts'

interface PasskeysProps {
  readonly viewer: EmbeddedViewer
}

export function Passkeys({ viewer }: PasskeysProps) {
  const settings = useSettings()
  if (settings.provider === 'external' || !settings.passkeys) {
    return <Text>{labels.passkeys.unsupportedAddress}</Text>
  }
  return (
    <>
      <PasskeyList userId={viewer.userId} />
      {hasPasskeySupport() ? <NewPasskeyForm viewer={viewer} /> : <Text>{labels.passkeys.unsupportedBrowser}</Text>}
    </>
  )
}

interface PasskeyListProps {
  readonly userId: string
}

function PasskeyList({ userId }: PasskeyListProps) {
  const { data, error } = useQuery(passkeysQuery(userId))
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton rows={2} />
  if (data.length === 0) return null
  return (
    <Stack component="ul" className="plain-list" gap="sm">
      {data.map((passkey) => (
        <PasskeyItem key={passkey.id} passkey={passkey} userId={userId} />
      ))}
    </Stack>
  )
}

interface PasskeyItemProps {
  readonly passkey: Passkey
  readonly userId: string
}

function PasskeyItem({ passkey, userId }: PasskeyItemProps) {
  const name = passkey.name ?? labels.passkeys.unnamed
  const [isAsking, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deletePasskey(passkey.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries(passkeysQuery(userId))
      toast.success(labels.passkeys.deleted(name))
    },
  })
  return (
    <Group component="li" justify="space-between" wrap="nowrap" className="wrapping">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {labels.passkeys.added(absoluteDate(passkey.createdAt.getTime()))}
        </Text>
      </div>
      <Button
        size="sm"
        variant="subtle"
        color="gray"
        flex="none"
        aria-label={labels.passkeys.deleteOf(name)}
        onClick={open}
      >
        {labels.passkeys.delete}
      </Button>
      <ConfirmDialog
        title={labels.passkeys.deleteTitle(name)}
        label={labels.passkeys.deleteConfirm}
        mutation={remove}
        opened={isAsking}
        onClose={close}
      >
        {labels.passkeys.deleteText}
      </ConfirmDialog>
    </Group>
  )
}

interface NewPasskeyFormProps {
  readonly viewer: EmbeddedViewer
}

function NewPasskeyForm({ viewer }: NewPasskeyFormProps) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { name: '' }, validate: { name: required(labels.passkeys.nameMissing) } })
  const add = useMutation({
    mutationFn: ({ name }: typeof form.values) => addPasskey(name.trim()),
    onSuccess: async () => {
      form.reset()
      await queryClient.invalidateQueries(passkeysQuery(viewer.userId))
      toast.success(labels.passkeys.done)
    },
  })
  return (
    <SubmitForm form={form} mutation={add} label={labels.passkeys.submit} isSecondary>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.passkeys.name}
        description={labels.passkeys.nameUse}
        autoComplete="off"
        required
      />
    </SubmitForm>
  )
}

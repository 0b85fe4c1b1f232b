import { Button, Group, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { HookDelivery } from '@rollkey/sdk/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deliveriesQuery,
  hooksQuery,
  type ListedHook,
  redeliver,
  rotateHook,
  testHook,
  updateHook,
} from '../../data/hooks.ts'
import { placeName } from '../../data/projects/labels.ts'
import { relativeTime } from '../../lib/time.ts'
import { PageError } from '../../service/errors.ts'
import { useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { RowItem, RowList } from '../../ui/row-list.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { changesOf, editChecks, editOf, type HookEdit } from './hook-draft.ts'
import { EventFields, useUrlRefusal } from './hook-fields.tsx'
import { labels } from './labels.ts'
import { SigningSecret } from './new-hook.tsx'
import classes from './hooks.module.css'

interface HookDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly hook: ListedHook | undefined
  readonly onClose: () => void
}

/** Shows a webhook and its last messages, tests and changes it. */
export function HookDrawer({ hook, onClose }: HookDrawerProps) {
  return (
    <FormDrawer opened={hook !== undefined} onClose={onClose} title={hook?.name}>
      {hook && <HookContent key={hook.id} hook={hook} />}
    </FormDrawer>
  )
}

interface OfHookProps {
  readonly hook: ListedHook
}

function HookContent({ hook }: OfHookProps) {
  const [isEditing, { open, close }] = useDisclosure()
  if (isEditing) return <EditHook hook={hook} onDone={close} />
  return (
    <Stack>
      <StateNotice hook={hook} />
      <SwitchHook hook={hook} />
      <DescriptionList
        facts={{
          [labels.create.url]: hook.target,
          [labels.format]: labels.formats[hook.format],
          [labels.scope]: placeName(hook),
          [labels.receives]: <Filters hook={hook} />,
        }}
      />
      <Group gap="xs">
        <Button variant="default" onClick={open}>
          {labels.edit.button}
        </Button>
        {hook.format === 'standard' && <ReplaceSecret hook={hook} />}
      </Group>
      <TestButton hook={hook} />
      <Deliveries hook={hook} />
    </Stack>
  )
}

/** Names what a webhook receives as the messages do. */
export function Filters({ hook: { events } }: OfHookProps) {
  if (events.length === 0) return labels.all
  return events.map((each) => (
    <div key={each}>
      <code>{each}</code>
    </div>
  ))
}

/** Says why nothing arrives. */
function StateNotice({ hook: { failure, failingSinceMs, offSinceMs } }: OfHookProps) {
  const nowMs = useNow()
  if (offSinceMs !== undefined) {
    const when = relativeTime(offSinceMs, nowMs)
    return failure === undefined ? (
      <Notice kind="info">{labels.isOff(when)}</Notice>
    ) : (
      <Notice kind="error">{labels.wasSwitchedOff(when, failure)}</Notice>
    )
  }
  if (failure === undefined || failingSinceMs === undefined) return null
  return <Notice kind="warning">{labels.isFailing(relativeTime(failingSinceMs, nowMs), failure)}</Notice>
}

/** Returns a mutation after which the webhooks and their messages are read again. */
function useHookChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => queryClient.invalidateQueries({ queryKey: hooksQuery(scope).queryKey }),
  })
}

function SwitchHook({ hook: { id, offSinceMs } }: OfHookProps) {
  const scope = useScope()
  const change = useHookChange((isOn: boolean) => updateHook(scope, id, { isOn }))
  return (
    <>
      <Switch
        label={labels.on}
        description={labels.onUse}
        checked={change.isPending ? change.variables : offSinceMs === undefined}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <ErrorNotice error={change.error} />
    </>
  )
}

/** Replaces the signing secret and shows the new one once. Only the state of this component has it. */
function ReplaceSecret({ hook: { id, name } }: OfHookProps) {
  const scope = useScope()
  const [isAsking, { open, close }] = useDisclosure()
  const [secret, setSecret] = useState<string>()
  const rotate = useMutation({
    mutationFn: async () => setSecret(await rotateHook(scope, id)),
    onSuccess: close,
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        {labels.rotate.button}
      </Button>
      <ConfirmDialog
        title={labels.rotate.title(name)}
        label={labels.rotate.confirm}
        isDangerous={false}
        mutation={{ ...rotate, mutate: () => rotate.mutate() }}
        opened={isAsking}
        onClose={close}
      >
        {labels.rotate.text}
      </ConfirmDialog>
      {secret !== undefined && (
        <SigningSecret
          title={labels.secret.replaced(name)}
          text={labels.secret.replacedText}
          secret={secret}
          former={labels.secret.former}
          onDone={() => setSecret(undefined)}
        />
      )}
    </>
  )
}

/** Sends a test, and says what was answered. */
function TestButton({ hook: { id } }: OfHookProps) {
  const scope = useScope()
  const test = useHookChange(() => testHook(scope, id))
  return (
    <>
      <Group>
        <BusyButton isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
          {labels.test.button}
        </BusyButton>
      </Group>
      {test.data && (
        <Notice kind={test.data.failure === undefined ? 'success' : 'error'}>
          {test.data.failure === undefined
            ? labels.test.accepted(test.data.status, test.data.durationMs)
            : labels.test.refused(test.data.failure)}
        </Notice>
      )}
      <ErrorNotice error={test.error} />
    </>
  )
}

function Deliveries({ hook: { id } }: OfHookProps) {
  const words = labels.deliveries
  return (
    <>
      <Title order={3}>{words.title}</Title>
      <QueryPart query={useQuery(deliveriesQuery(useScope(), id))}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Text c="dimmed">{words.none}</Text>
          ) : (
            <RowList label={words.title}>
              {deliveries.map((each) => (
                <Delivery key={each.eventId} hookId={id} delivery={each} />
              ))}
            </RowList>
          )
        }
      </QueryPart>
    </>
  )
}

interface DeliveryProps {
  readonly hookId: string
  readonly delivery: HookDelivery
}

function Delivery({ hookId, delivery }: DeliveryProps) {
  const { type, atMs, attempts, status, durationMs, failure } = delivery
  const words = labels.deliveries
  const outcome = failure === undefined ? words.accepted(status, durationMs) : words.failed(failure, durationMs)
  return (
    <RowItem
      detail={
        <span className={failure === undefined ? undefined : classes['failed']}>
          {[outcome, ...(attempts > 1 ? [words.attempts(attempts)] : [])].join(', ')}
        </span>
      }
      end={
        <Group gap="xs" wrap="nowrap">
          <RelativeTime ms={atMs} />
          {/* A test is not an event that is kept. */}
          {type !== 'hook.tested' && <SendAgain hookId={hookId} delivery={delivery} />}
        </Group>
      }
    >
      <code>{type}</code>
    </RowItem>
  )
}

function SendAgain({ hookId, delivery: { eventId, type, atMs } }: DeliveryProps) {
  const scope = useScope()
  const nowMs = useNow()
  const words = labels.deliveries
  const send = useHookChange(async () => {
    const { failure } = await redeliver(scope, hookId, eventId)
    if (failure === undefined) toast.success(words.sent)
    else toast.error(new PageError('INVALID_REQUEST', words.refused(failure)))
  })
  return (
    <BusyButton
      size="xs"
      variant="subtle"
      color="gray"
      aria-label={words.againOf(type, relativeTime(atMs, nowMs))}
      isBusy={send.isPending}
      onClick={() => send.mutate(undefined, { onError: (error) => toast.error(error) })}
    >
      {words.again}
    </BusyButton>
  )
}

interface EditHookProps extends OfHookProps {
  readonly onDone: () => void
}

/** Changes a webhook, except its format and its scope. */
function EditHook({ hook, onDone }: EditHookProps) {
  const scope = useScope()
  const form = useForm<HookEdit>({ initialValues: editOf(hook), validate: editChecks })
  const update = useHookChange(async (draft: HookEdit) => {
    await updateHook(scope, hook.id, changesOf(draft))
    toast.success(labels.edit.done(draft.name.trim()))
    onDone()
  })
  const error = useUrlRefusal(form, update.error)
  return (
    <SubmitForm
      form={form}
      mutation={{ ...update, error }}
      label={labels.edit.submit}
      isIncomplete={!form.isDirty()}
      onCancel={onDone}
    >
      <TextInput {...form.getInputProps('name')} label={labels.name} maxLength={128} autoComplete="off" required />
      <TextInput
        {...form.getInputProps('url')}
        label={labels.edit.url}
        description={labels.edit.urlUse(hook.target)}
        type="url"
        autoComplete="off"
      />
      <EventFields form={form} />
    </SubmitForm>
  )
}

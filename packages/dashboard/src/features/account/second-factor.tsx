import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import { download } from '../../lib/browser.ts'
import { required } from '../../lib/validation.ts'
import { useViewerChange } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { labels } from './labels.ts'
import {
  browserSessionsQuery,
  enableSecondFactor,
  newRecoveryCodes,
  removeSecondFactor,
  secondFactorQuery,
  startSecondFactor,
} from '../../data/account.ts'
import classes from './second-factor.module.css'

const words = labels.secondFactor

interface OfUser {
  readonly userId: string
}

interface SecondFactorProps extends OfUser {
  /** Whether to set it up is what the page is for. @default false */
  readonly isPrimary?: boolean
  /** Called as the recovery codes appear, and once the person has saved them. */
  readonly onCodes?: (areShown: boolean) => void
}

/** Turns the second factor of the password on and off. Only the state of this component has its secret and its codes. */
export function SecondFactor({ userId, isPrimary = false, onCodes }: SecondFactorProps) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(secondFactorQuery(userId))
  const [uri, setUri] = useState<string>()
  const [codes, setCodes] = useState<readonly string[]>()
  // The result of a mutation would stay in the query client's memory, so these have none.
  const start = useMutation({ mutationFn: async () => setUri(await startSecondFactor()) })
  const show = async (created: readonly string[]): Promise<void> => {
    setUri(undefined)
    setCodes(created)
    onCodes?.(true)
    await queryClient.invalidateQueries(secondFactorQuery(userId))
  }
  const hide = (): void => {
    setCodes(undefined)
    onCodes?.(false)
  }
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton rows={2} />
  return (
    <Stack align="flex-start">
      {data.isOn ? (
        <>
          <Text>{words.isOn(data.recoveryCodesLeft)}</Text>
          <Group gap="xs">
            <NewRecoveryCodes onCreated={show} />
            <RemoveButton userId={userId} />
          </Group>
        </>
      ) : (
        <BusyButton variant={isPrimary ? 'filled' : 'default'} isBusy={start.isPending} onClick={() => start.mutate()}>
          {words.setUp}
        </BusyButton>
      )}
      <ErrorNotice error={start.error} />
      <FormDrawer opened={uri !== undefined} onClose={() => setUri(undefined)} title={words.setUp}>
        {uri !== undefined && <EnableForm userId={userId} uri={uri} onEnabled={show} />}
      </FormDrawer>
      {codes && <ShownCodes codes={codes} onDone={hide} />}
    </Stack>
  )
}

type OnCodes = (codes: readonly string[]) => Promise<void>

interface EnableFormProps extends OfUser {
  readonly uri: string
  readonly onEnabled: OnCodes
}

/** Shows the secret for the authenticator app, and asks for a code that proves that the app has it. */
function EnableForm({ userId, uri, onEnabled }: EnableFormProps) {
  const viewerChanged = useViewerChange()
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { code: '' }, validate: { code: required(words.codeMissing) } })
  const enable = useMutation({
    mutationFn: async ({ code }: typeof form.values) => {
      await onEnabled(await enableSecondFactor(code))
      await viewerChanged()
      await queryClient.invalidateQueries(browserSessionsQuery(userId))
    },
    onSuccess: () => toast.success(words.turnedOn),
  })
  return (
    <SubmitForm form={form} mutation={enable} label={words.turnOn}>
      <Text>{words.scan}</Text>
      <QrCode text={uri} label={words.qrCode} />
      <CopyField label={words.secret} value={new URL(uri).searchParams.get('secret') ?? ''} />
      <TextInput
        {...form.getInputProps('code')}
        label={words.code}
        description={words.codeUse}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        required
        data-autofocus
      />
    </SubmitForm>
  )
}

interface QrCodeProps {
  readonly text: string
  /** What it contains, for people who cannot see it. */
  readonly label: string
}

/** Draws a QR code: dark on light in both color schemes, because not every app reads an inverted one. */
function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { border: 4 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      className={classes['qr']}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={path} />
    </svg>
  )
}

function NewRecoveryCodes({ onCreated }: { readonly onCreated: OnCodes }) {
  const [isAsking, { open, close }] = useDisclosure()
  const create = useMutation({
    mutationFn: async () => {
      const codes = await newRecoveryCodes()
      close()
      await onCreated(codes)
    },
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        {words.newCodes}
      </Button>
      <ConfirmDialog
        title={words.newCodesTitle}
        label={words.newCodes}
        mutation={create}
        opened={isAsking}
        onClose={close}
      >
        {words.newCodesText}
      </ConfirmDialog>
    </>
  )
}

function RemoveButton({ userId }: OfUser) {
  const [isAsking, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: removeSecondFactor,
    onSuccess: async () => {
      close()
      await queryClient.invalidateQueries(secondFactorQuery(userId))
      toast.success(words.removed)
    },
  })
  return (
    <>
      <Button variant="default" c="var(--danger-text)" onClick={open}>
        {words.remove}
      </Button>
      <ConfirmDialog
        title={words.removeTitle}
        label={words.removeConfirm}
        mutation={remove}
        opened={isAsking}
        onClose={close}
      >
        {words.removeText}
      </ConfirmDialog>
    </>
  )
}

interface ShownCodesProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

function stay(): void {}

/** Shows the recovery codes until the person says that they saved them, because no one can see them again. */
function ShownCodes({ codes, onDone }: ShownCodesProps) {
  const text = codes.join('\n')
  return (
    <Modal opened onClose={stay} title={words.codesTitle} closeOnEscape={false} withCloseButton={false}>
      <Stack>
        <Notice kind="success">{words.codesText}</Notice>
        <ul className={`plain-list ${classes['codes']}`} aria-label={words.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyField label={words.allCodes} value={codes.join(' ')} />
        <Button
          variant="default"
          onClick={() => download(new Blob([`${text}\n`], { type: 'text/plain' }), 'rollkey-recovery-codes.txt')}
        >
          {words.download}
        </Button>
        <Button onClick={onDone}>{words.codesSaved}</Button>
      </Stack>
    </Modal>
  )
}

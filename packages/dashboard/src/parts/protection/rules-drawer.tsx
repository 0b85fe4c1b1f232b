import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { freezeEndMs, limits, stopVerbs, weekdays } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { readerZone, timeInZone } from '../../lib/time.ts'
import { ask, useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { focusOn } from '../../ui/focus.ts'
import { FormDrawer, FormFooter, SubmitForm } from '../../ui/form.tsx'
import { IconAdd, IconClose } from '../../ui/icons.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useProtecting, WhatProtectionDoes } from './protect-dialog.tsx'
import { accessQuery, rolesQuery, useAccessChange } from '../../data/access/queries.ts'
import { stageFocus } from '../../data/projects/commands.ts'
import { draftOf, newFreeze, problemsOf, windowOf, type FreezeDraft } from './freeze-draft.ts'
import classes from './protection.module.css'
import { ZoneField } from '../../ui/zone-field.tsx'
import { labels } from './labels.ts'

const { rules: words } = labels
const { protection: protectionLabels } = labels

interface RulesDrawerProps {
  readonly projectSlug: string
  readonly stage: Stage
  readonly opened: boolean
  readonly onClose: () => void
}

/** Sets what a protected stage requires of changes: approvals, exceptions and freezes. Offers to protect it first. */
export function RulesDrawer({ opened, ...props }: RulesDrawerProps) {
  return (
    <FormDrawer opened={opened} onClose={props.onClose} title={words.title(props.stage.name)}>
      {opened && <RulesContent {...props} />}
    </FormDrawer>
  )
}

function RulesContent(props: Omit<RulesDrawerProps, 'opened'>) {
  const { isProtected } = props.stage
  const [wasProtected] = useState(isProtected)
  if (!isProtected) return <ProtectFirst {...props} />
  return wasProtected ? <RulesForm {...props} /> : <NextForm {...props} />
}

/** Shows the form in place of the question, and begins in its first field. */
function NextForm(props: Omit<RulesDrawerProps, 'opened'>) {
  const part = useRef<HTMLDivElement>(null)
  useEffect(() => part.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [])
  return (
    <div ref={part}>
      <RulesForm {...props} />
    </div>
  )
}

/** Says what protection does, and offers it. */
function ProtectFirst({ projectSlug, stage }: Omit<RulesDrawerProps, 'opened'>) {
  // What is protected can be set here next.
  const protection = useProtecting({ projectSlug, stage, onClose: () => {} })
  const protect = (event: FormEvent): void => {
    event.preventDefault()
    if (!protection.isPending) protection.mutate()
  }
  return (
    <Stack component="form" onSubmit={protect}>
      <Text>{words.unprotected(stage.name)}</Text>
      <WhatProtectionDoes projectSlug={projectSlug} stageSlug={stage.stageSlug} />
      <ErrorNotice error={protection.error} />
      <FormFooter>
        <BusyButton type="submit" isBusy={protection.isPending} data-autofocus>
          {protectionLabels.submit(stage.name)}
        </BusyButton>
      </FormFooter>
    </Stack>
  )
}

interface RulesValues extends Record<string, unknown> {
  readonly approvals: number | string
  readonly selfApproval: boolean
  /** Empty: no one may bypass. */
  readonly bypassRole: string
  readonly stopVerb: (typeof stopVerbs)[number]
  readonly freezes: readonly FreezeDraft[]
}

type Form = UseFormReturnType<RulesValues>

function valuesOf({ protection }: Stage): RulesValues {
  const { approvals = 0, selfApproval = false, bypassRole, stopVerb = 'write', freezes = [] } = protection ?? {}
  return { approvals, selfApproval, bypassRole: bypassRole ?? '', stopVerb, freezes: freezes.map(draftOf) }
}

function problems({ approvals, freezes }: RulesValues): Record<string, string> {
  const ofFreezes = freezes.flatMap((draft, index) =>
    Object.entries(problemsOf(draft)).map(([field, text]) => [`freezes.${index}.${field}`, text]),
  )
  return { ...Object.fromEntries(ofFreezes), ...(approvals === '' && { approvals: words.approvalsMissing }) }
}

function RulesForm({ projectSlug, stage, onClose }: Omit<RulesDrawerProps, 'opened'>) {
  const scope = useScope()
  const place = { projectSlug, stageSlug: stage.stageSlug }
  const form = useForm<RulesValues>({ initialValues: valuesOf(stage), validate: problems })
  const set = useAccessChange(async ({ approvals, bypassRole, freezes, ...rules }: RulesValues) => {
    await ask(scope, 'stageProtect', {
      ...place,
      ...rules,
      isProtected: true,
      dryRun: false,
      approvals: Number(approvals),
      bypassRole: bypassRole === '' ? null : bypassRole,
      freezes: freezes.map(windowOf),
    })
    return words.saved(stage.name, Number(approvals), freezes.length)
  })
  const [before] = useState(() => valuesOf(stage))
  const save = {
    ...set,
    mutate: (values: RulesValues) =>
      set.mutate(values, {
        onSuccess: (saved) => {
          onClose()
          focusOn(stageFocus(stage.stageSlug))
          toast.success(saved, { undo: () => set.mutateAsync(before) })
        },
      }),
  }
  return (
    <SubmitForm form={form} mutation={save} label={words.save(stage.name)}>
      <Text>{words.text}</Text>
      <NumberInput
        {...form.getInputProps('approvals')}
        label={words.approvals}
        description={words.approvalsUse}
        min={0}
        max={limits.approvals}
        allowDecimal={false}
        data-autofocus
      />
      <Switch {...form.getInputProps('selfApproval', { type: 'checkbox' })} label={words.self} />
      <ApproverWarning place={place} values={form.values} />
      <Exceptions form={form} />
      <Freezes form={form} />
    </SubmitForm>
  )
}

/** Warns where fewer people may approve than a change needs. Only grants on a protected stage count. */
function ApproverWarning({ place, values }: { readonly place: StageSlugs; readonly values: RulesValues }) {
  const scope = useScope()
  const { data: access } = useQuery(accessQuery(scope, place))
  const { data: roles } = useQuery(rolesQuery(scope))
  const needed = Number(values.approvals) + (values.selfApproval ? 0 : 1)
  if (!access || !roles || Number(values.approvals) === 0) return null
  const approving = new Set(roles.filter(({ verbs }) => verbs.includes('approve')).map(({ name }) => name))
  const approvers = access.grants.filter(
    ({ projectSlug, stageSlug, role }) =>
      projectSlug === place.projectSlug && stageSlug === place.stageSlug && approving.has(role),
  )
  // A group may have any number of people.
  if (approvers.length >= needed || approvers.some(({ principal }) => principal.kind === 'group')) return null
  return <Notice kind="warning">{words.fewApprovers(approvers.length)}</Notice>
}

/** Asks who may go around the approvals, and who may stop a roll. */
function Exceptions({ form }: { readonly form: Form }) {
  const { data: roles = [] } = useQuery(rolesQuery(useScope()))
  return (
    <>
      <NativeSelect
        {...form.getInputProps('bypassRole')}
        label={words.bypass}
        description={words.bypassUse}
        data={[{ value: '', label: words.noBypass }, ...roles.map(({ name }) => name)]}
      />
      <NativeSelect
        {...form.getInputProps('stopVerb')}
        label={words.stop}
        description={words.stopUse}
        data={stopVerbs.map((value) => ({ value, label: words.stopVerbs[value] }))}
      />
    </>
  )
}

/** Lists the times at which the stage does not change. */
function Freezes({ form }: { readonly form: Form }) {
  const { freezes } = form.values
  const nowMs = useNow()
  const valid = freezes.filter((draft) => Object.keys(problemsOf(draft)).length === 0)
  const endMs = freezeEndMs(valid.map(windowOf), nowMs)
  const add = useRef<HTMLButtonElement>(null)
  const remove = (index: number): void => {
    flushSync(() => form.removeListItem('freezes', index))
    add.current?.focus()
  }
  return (
    <Stack gap="xs">
      <Text fw={500}>{words.freezes}</Text>
      <Text size="sm" c="dimmed">
        {words.freezesUse}
      </Text>
      {freezes.map((draft, index) => (
        <FreezeFields key={index} form={form} draft={draft} index={index} onRemove={() => remove(index)} />
      ))}
      {endMs !== undefined && <Notice kind="info">{words.frozenNow(timeInZone(endMs, readerZone()))}</Notice>}
      <Group>
        <Button
          ref={add}
          variant="default"
          leftSection={<IconAdd />}
          disabled={freezes.length >= limits.freezeWindows}
          onClick={() => form.insertListItem('freezes', newFreeze(readerZone()))}
        >
          {words.addFreeze}
        </Button>
      </Group>
    </Stack>
  )
}

interface FreezeFieldsProps {
  readonly form: Form
  readonly draft: FreezeDraft
  readonly index: number
  readonly onRemove: () => void
}

const days = weekdays.map((value) => ({ value, label: words.days[value] }))

function FreezeFields({ form, draft, index, onRemove }: FreezeFieldsProps) {
  const at = (field: keyof FreezeDraft) => form.getInputProps(`freezes.${index}.${field}`)
  return (
    <fieldset className={classes['freeze']}>
      <legend>{words.freeze(index + 1)}</legend>
      <Group justify="space-between" align="flex-end" wrap="nowrap" gap="xs">
        <NativeSelect
          {...at('repeats')}
          label={words.repeats}
          data={(['weekly', 'once'] as const).map((value) => ({ value, label: words.repeating[value] }))}
        />
        <ActionIcon aria-label={words.removeFreeze(index + 1)} onClick={onRemove}>
          <IconClose />
        </ActionIcon>
      </Group>
      {draft.repeats === 'weekly' ? (
        <>
          <Group grow align="flex-start" gap="xs">
            <NativeSelect {...at('fromDay')} label={words.from} data={days} />
            <TextInput {...at('fromTime')} type="time" label={words.fromTime} />
          </Group>
          <Group grow align="flex-start" gap="xs">
            <NativeSelect {...at('toDay')} label={words.until} data={days} />
            <TextInput {...at('toTime')} type="time" label={words.untilTime} />
          </Group>
        </>
      ) : (
        <Group grow align="flex-start" gap="xs">
          <TextInput {...at('from')} type="datetime-local" label={words.from} />
          <TextInput {...at('to')} type="datetime-local" label={words.until} />
        </Group>
      )}
      <ZoneField {...at('zone')} label={words.zone} />
    </fieldset>
  )
}

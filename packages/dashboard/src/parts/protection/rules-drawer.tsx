import type { Grant, Principal, Protection, Stage, StageSlugs } from '@rollkey/sdk/core'
import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { freezeEndMs, limits, stopVerbs, weekdays } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { readerZone, timeInZone } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { focusOn } from '../../ui/focus.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { IconAdd, IconClose } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { MoreFields } from '../../ui/more-fields.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ToastLink } from '../../ui/toasts.tsx'
import { grant, protect, revoke, rolesQuery, useAccessChange } from '../../data/access/queries.ts'
import { keyOf } from '../../data/access/matrix.ts'
import { useFollowMembers, useHasOtherMembers } from '../../data/members.ts'
import { stageFocus } from '../../data/projects/commands.ts'
import { draftOf, newFreeze, problemsOf, windowOf, type FreezeDraft } from './freeze-draft.ts'
import { type Approval, ApproversOfForm, useApproval } from './approvers-of-form.tsx'
import { type ChosenRoles, KeptAccess, keptRoles, type KeptRole, useLosers, withAdded } from './kept-access.tsx'
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

/** Protects a stage, or changes what a protected one requires: who keeps access, approvals, exceptions and freezes. */
export function RulesDrawer({ opened, ...props }: RulesDrawerProps) {
  const { name, isProtected } = props.stage
  return (
    <FormDrawer
      opened={opened}
      onClose={props.onClose}
      title={isProtected ? words.title(name) : protectionLabels.title(name)}
    >
      {opened && <RulesContent {...props} />}
    </FormDrawer>
  )
}

type RulesProps = Omit<RulesDrawerProps, 'opened'>

/** Stays the form that it was at first, also once the stage is protected. */
function RulesContent(props: RulesProps) {
  useFollowMembers()
  const [isProtected] = useState(props.stage.isProtected)
  return isProtected ? <ChangeRules {...props} /> : <Protect {...props} />
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

function requirementsOf({ approvals, bypassRole, freezes, ...rules }: RulesValues): Required<Protection> {
  return {
    ...rules,
    approvals: Number(approvals),
    bypassRole: bypassRole === '' ? null : bypassRole,
    freezes: freezes.map(windowOf),
  }
}

interface RulesChange {
  readonly rules: RulesValues
  readonly granted: readonly KeptRole[]
}

interface RulesUndo {
  /** What the stage required before; undefined: it was not protected. */
  readonly before: RulesValues | undefined
  readonly granted: readonly KeptRole[]
  /** What was granted on the stage before, by the key of the principal. */
  readonly former: ReadonlyMap<string, Pick<Grant, 'role' | 'expiresAtMs'>>
}

/** Returns what sets the rules of a stage. Roles on it are granted first, so that no one whom the form keeps is without access in between. */
function useRulesChange(place: StageSlugs) {
  const scope = useScope()
  const protectBy = (rules: RulesValues): Promise<void> =>
    protect(scope, { ...place, ...requirementsOf(rules), isProtected: true })
  const start = async ({ rules, granted }: RulesChange): Promise<void> => {
    for (const each of granted) await grant(scope, { ...place, ...each })
    await protectBy(rules)
  }
  const undo = useAccessChange(async ({ before, granted, former }: RulesUndo) => {
    await (before ? protectBy(before) : protect(scope, { ...place, isProtected: false }))
    for (const { principal } of granted) {
      const { role, expiresAtMs } = former.get(keyOf(principal)) ?? {}
      if (role === undefined) await revoke(scope, { ...place, principal })
      else await grant(scope, { ...place, principal, role, expiresAtMs })
    }
  })
  return { start, undo, redo: useAccessChange(start) }
}

/** Protects a stage. The form begins once it knows whether there are others who could approve, so that its values stay. */
function Protect(props: RulesProps) {
  return (
    <QueryPart query={useHasOtherMembers()} rows={8}>
      {(hasOthers) => <ProtectForm {...props} approvals={hasOthers ? 1 : 0} />}
    </QueryPart>
  )
}

interface ProtectFormProps extends RulesProps {
  /** How many approvals the form suggests. */
  readonly approvals: number
}

function ProtectForm({ projectSlug, stage, approvals, onClose }: ProtectFormProps) {
  const { name, stageSlug } = stage
  const place = { projectSlug, stageSlug }
  const form = useForm<RulesValues>({ initialValues: { ...valuesOf(stage), approvals }, validate: problems })
  const [added, setAdded] = useState<readonly Principal[]>([])
  const needsApproval = Number(form.values.approvals) > 0
  const losers = withAdded(useLosers(place, needsApproval), added, [
    'read',
    'write',
    ...(needsApproval ? (['approve'] as const) : []),
  ])
  const [chosen, setChosen] = useState<ChosenRoles>({})
  const kept = keptRoles(losers, chosen)
  const approval = useApproval(place, form.values, kept)
  const { start, undo, redo } = useRulesChange(place)
  const access = useAccessLink(projectSlug)
  const protection = useAccessChange(async (values: RulesValues) => {
    await start({ rules: values, granted: kept })
    onClose()
    focusOn(stageFocus(stageSlug))
    toast.success(approval.isDeadEnd ? protectionLabels.doneInVain(name) : protectionLabels.done(name), {
      ...(approval.isDeadEnd && { link: access }),
      isButtonOnly: true,
      undo: async () => {
        await undo.mutateAsync({ before: undefined, granted: kept, former: losers.former ?? new Map() })
        return protectionLabels.ended(name)
      },
      redo: () => redo.mutateAsync({ rules: values, granted: kept }),
    })
  })
  const letApprove = (offers: readonly KeptRole[]): void => {
    const listed = new Set(losers.losers?.map(({ principal }) => keyOf(principal)))
    const others = offers.flatMap(({ principal }) => (listed.has(keyOf(principal)) ? [] : principal))
    setAdded([...added, ...others])
    setChosen({ ...chosen, ...Object.fromEntries(offers.map(({ principal, role }) => [keyOf(principal), role])) })
  }
  return (
    <SubmitForm
      form={form}
      mutation={protection}
      label={approval.isDeadEnd ? protectionLabels.submitAnyway : protectionLabels.submit(name)}
      isIncomplete={!losers.losers}
    >
      <Text>{protectionLabels.text(name)}</Text>
      <KeptAccess
        losers={losers}
        stageName={name}
        chosen={chosen}
        onChoose={setChosen}
        onAdd={(principal) => setAdded([...added, principal])}
      />
      <RulesFields form={form} approval={approval} onLetApprove={letApprove} />
      <MoreFields label={words.more} isOpen={false}>
        <Exceptions form={form} />
        <Freezes form={form} />
      </MoreFields>
    </SubmitForm>
  )
}

/** Returns the button of a toast that leads to the access of a project. */
function useAccessLink(projectSlug: string): ToastLink {
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const go = (): void => void navigate({ to: './p/$projectSlug/access', params: { projectSlug } })
  return { label: words.openAccess, go }
}

/** Changes what a protected stage requires. */
function ChangeRules({ projectSlug, stage, onClose }: RulesProps) {
  const { name, stageSlug } = stage
  const place = { projectSlug, stageSlug }
  const form = useForm<RulesValues>({ initialValues: valuesOf(stage), validate: problems })
  const [granted, setGranted] = useState<readonly KeptRole[]>([])
  const approval = useApproval(place, form.values, granted)
  const { start, undo, redo } = useRulesChange(place)
  const access = useAccessLink(projectSlug)
  const [before] = useState(() => valuesOf(stage))
  const set = useAccessChange(async (values: RulesValues) => {
    const { former } = approval
    await start({ rules: values, granted })
    onClose()
    focusOn(stageFocus(stageSlug))
    const saved = words.saved(name, Number(values.approvals), values.freezes.length)
    toast.success(approval.isDeadEnd ? words.savedInVain(saved) : saved, {
      ...(approval.isDeadEnd && { link: access }),
      isButtonOnly: true,
      undo: () => undo.mutateAsync({ before, granted, former }),
      redo: () => redo.mutateAsync({ rules: values, granted }),
    })
  })
  return (
    <SubmitForm form={form} mutation={set} label={approval.isDeadEnd ? words.saveAnyway : words.save(name)}>
      <RulesFields form={form} approval={approval} onLetApprove={(offers) => setGranted([...granted, ...offers])} />
      <Exceptions form={form} />
      <Freezes form={form} />
    </SubmitForm>
  )
}

interface RulesFieldsProps {
  readonly form: Form
  readonly approval: Approval
  readonly onLetApprove: (roles: readonly KeptRole[]) => void
}

/** Asks how many others approve a change. */
function RulesFields({ form, approval, onLetApprove }: RulesFieldsProps) {
  const letApprove = (roles: readonly KeptRole[]): void => {
    // The button may be gone then, and the focus with it.
    form.getInputNode('approvals')?.focus()
    onLetApprove(roles)
  }
  return (
    <>
      <NumberInput
        {...form.getInputProps('approvals')}
        label={words.approvals}
        description={words.approvalsUse}
        min={0}
        max={limits.approvals}
        allowDecimal={false}
        data-autofocus
      />
      {Number(form.values.approvals) > 0 && (
        <>
          <Text size="sm">{words.text}</Text>
          <Switch {...form.getInputProps('selfApproval', { type: 'checkbox' })} label={words.self} />
        </>
      )}
      <ApproversOfForm approval={approval} onLetApprove={letApprove} />
    </>
  )
}

/** Asks who may go around the approvals, and who may stop a roll. */
function Exceptions({ form }: { readonly form: Form }) {
  const { data: roles = [] } = useQuery(rolesQuery(useScope()))
  // Who may not write cannot apply a change, with approvals or without.
  const writing = roles.filter(({ name, verbs }) => verbs.includes('write') || name === form.values.bypassRole)
  return (
    <>
      <NativeSelect
        {...form.getInputProps('bypassRole')}
        label={words.bypass}
        description={words.bypassUse}
        data={[{ value: '', label: words.noBypass }, ...writing.map(({ name }) => name)]}
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

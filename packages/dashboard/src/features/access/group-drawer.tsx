import type { Group, GroupMember } from '@rollkey/sdk/core'
import { ActionIcon, Button, Group as Row, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDidUpdate, useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useRef, useState } from 'react'
import { required } from '../../lib/validation.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { BusyButton, TextLink } from '../../ui/buttons.tsx'
import { requestCommand } from '../../ui/commands.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { IconClose } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './access.module.css'
import { labels } from './labels.ts'
import { keyOf, type Named } from '../../data/access/matrix.ts'
import { useNamed, usePrincipalName } from '../../data/access/names.ts'
import { accessQuery, changeMembers, deleteGroup, updateGroup, useAccessChange } from '../../data/access/queries.ts'
import { ProviderGroup, useProviderGroupNaming } from './provider-group.tsx'
import { WhoField } from './who-field.tsx'
import { placeName } from '../../data/projects/labels.ts'

const words = labels.groups

interface GroupDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly group: Group | undefined
  readonly onClose: () => void
}

/** Shows the members of a group and what is granted to it. */
export function GroupDrawer({ group, onClose }: GroupDrawerProps) {
  const mayChange = useMay()('manage')
  const hasProviderGroups = useProviderGroupNaming() !== undefined
  return (
    <FormDrawer opened={group !== undefined} onClose={onClose} title={group?.name}>
      {group && (
        <Stack gap="lg">
          <Part title={words.members}>
            {group.idpGroup !== undefined && <Text c="dimmed">{words.reported(group.idpGroup)}</Text>}
            {mayChange && group.idpGroup === undefined ? (
              <ChangeableMembers group={group} />
            ) : (
              <Members group={group} mayChange={false} />
            )}
          </Part>
          {mayChange && (
            <Part title={words.grants}>
              <GrantsOf group={group} />
            </Part>
          )}
          {mayChange && hasProviderGroups && (
            <Part title={labels.providerGroup.title}>
              <ProviderGroup key={group.idpGroup} group={group} />
            </Part>
          )}
          {mayChange && <Settings key={group.name} group={group} onClose={onClose} />}
        </Stack>
      )}
    </FormDrawer>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title id={id} order={3} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

interface OfGroupProps {
  readonly group: Group
}

/** Adds and removes members, and says so with a way back. */
function useMembership({ id, name: groupName }: Group) {
  const scope = useScope()
  const nameOf = usePrincipalName()
  const change = useAccessChange(async ({ member, isAdding }: { member: GroupMember; isAdding: boolean }) => {
    await changeMembers(scope, id, isAdding ? { add: [member] } : { remove: [member] })
  })
  const run = (member: GroupMember, isAdding: boolean, onDone?: () => void): void =>
    change.mutate(
      { member, isAdding },
      {
        onSuccess: () => {
          onDone?.()
          toast.success((isAdding ? words.added : words.removed)(nameOf(member), groupName), {
            isButtonOnly: true,
            undo: async () => {
              await change.mutateAsync({ member, isAdding: !isAdding })
              return (isAdding ? words.removed : words.added)(nameOf(member), groupName)
            },
            redo: () => change.mutateAsync({ member, isAdding }),
          })
        },
      },
    )
  return { change, run, nameOf }
}

/** Lets people be added and removed. The focus is then on who was added, or on the neighbor of who was removed. */
function ChangeableMembers({ group }: OfGroupProps) {
  const { members } = group
  const part = useRef<HTMLDivElement>(null)
  const former = useRef(members)
  useDidUpdate(() => {
    const isIn = (all: readonly GroupMember[], member: GroupMember): boolean =>
      all.some((each) => keyOf(each) === keyOf(member))
    const added = members.findIndex((each) => !isIn(former.current, each))
    const removed = former.current.findIndex((each) => !isIn(members, each))
    former.current = members
    // What had the focus is gone, or cannot be used.
    if (!document.activeElement?.matches('body, :disabled')) return
    const changed = added >= 0 ? added : Math.min(removed, members.length - 1)
    const next = part.current?.querySelectorAll<HTMLElement>('li > button')[changed]
    ;(next ?? part.current?.querySelector<HTMLElement>('[data-autofocus]'))?.focus()
  }, [members])
  return (
    <Stack ref={part} gap="xs">
      <AddMember group={group} />
      <Members group={group} mayChange />
    </Stack>
  )
}

function AddMember({ group }: OfGroupProps) {
  const [chosen, setChosen] = useState<Named>()
  const { change, run } = useMembership(group)
  const members = new Set(group.members.map(keyOf))
  const people = useNamed().filter(({ principal }) => principal.kind === 'user' && !members.has(keyOf(principal)))
  // Someone who has just become a member cannot be chosen any more.
  const value = chosen && !members.has(keyOf(chosen.principal)) ? chosen : undefined
  const add = (): void => {
    if (value) run(value.principal as GroupMember, true, () => setChosen(undefined))
  }
  return (
    <Stack gap="xs">
      <WhoField
        key={group.members.length}
        label={words.addLabel}
        hint={words.addHint}
        named={people}
        value={value}
        onChange={setChosen}
      />
      <ErrorNotice error={change.error} />
      <div>
        <BusyButton variant="default" disabled={!value} isBusy={change.isPending} onClick={add}>
          {words.add}
        </BusyButton>
      </div>
    </Stack>
  )
}

function Members({ group, mayChange }: OfGroupProps & { readonly mayChange: boolean }) {
  const { run, nameOf } = useMembership(group)
  if (group.members.length === 0) return <Text c="dimmed">{words.noMembers}</Text>
  return (
    <ul className={`plain-list ${classes['sources']}`}>
      {group.members.map((member) => (
        <li key={keyOf(member)}>
          <span className="wrapping">{nameOf(member)}</span>
          {member.kind === 'email' && (
            <Text component="span" size="sm" c="dimmed">
              {labels.access.kinds.email}
            </Text>
          )}
          {mayChange && (
            <ActionIcon aria-label={words.removeOf(nameOf(member))} onClick={() => run(member, false)}>
              <IconClose />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Lists where the group has which role. */
function GrantsOf({ group: { id } }: OfGroupProps) {
  return (
    <QueryPart query={useQuery(accessQuery(useScope(), {}))} rows={2}>
      {({ grants }) => {
        const own = grants.filter(({ principal }) => principal.kind === 'group' && principal.id === id)
        if (own.length === 0) return <NoGrants />
        return (
          <ul className={`plain-list ${classes['sources']}`}>
            {own.map(({ role, ...place }) => (
              <li key={placeName(place)}>
                <span>{role}</span>
                <Text component="span" c="dimmed">
                  {placeName(place)}
                </Text>
              </li>
            ))}
          </ul>
        )
      }}
    </QueryPart>
  )
}

function NoGrants() {
  return (
    <Text c="dimmed">
      {words.noGrants}{' '}
      <TextLink from="/o/$orgSlug" to="./members/access" search={{}} onClick={() => requestCommand('grant')}>
        {words.grantAccess}
      </TextLink>
    </Text>
  )
}

/** Renames and deletes the group. */
function Settings({ group: { id, name }, onClose }: OfGroupProps & { readonly onClose: () => void }) {
  const scope = useScope()
  const [isAsking, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: { name }, validate: { name: required(words.nameMissing) } })
  const set = useAccessChange((to: string) => updateGroup(scope, id, { name: to }))
  const rename = useAccessChange(async (values: typeof form.values) => {
    const newName = values.name.trim()
    await updateGroup(scope, id, { name: newName })
    toast.success(words.renamed(name, newName), {
      undo: async () => {
        await set.mutateAsync(name)
        return words.renamed(newName, name)
      },
      redo: () => set.mutateAsync(newName),
    })
  })
  const deletion = useAccessChange(async () => {
    await deleteGroup(scope, id)
    close()
    onClose()
    toast.success(words.deleted(name))
  })
  return (
    <>
      <SubmitForm
        form={form}
        mutation={rename}
        label={words.rename}
        isIncomplete={!form.isDirty()}
        isSecondary
        leading={
          <Button variant="default" c="var(--danger-text)" mr="auto" onClick={open}>
            {words.delete}
          </Button>
        }
      >
        <TextInput {...form.getInputProps('name')} label={words.name} autoComplete="off" required />
      </SubmitForm>
      <ConfirmDialog
        title={words.deleteTitle(name)}
        label={words.deleteConfirm(name)}
        mutation={{ ...deletion, mutate: () => deletion.mutate() }}
        opened={isAsking}
        onClose={close}
      >
        <Row>{words.deleteText}</Row>
      </ConfirmDialog>
    </>
  )
}

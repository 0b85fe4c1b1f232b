import type { Role } from '@rollkey/sdk/core'
import { Badge, Button, Checkbox, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Verb, verbs as allVerbs } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useCommands } from '../../ui/commands.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { focusOn } from '../../ui/focus.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { IconAdd, IconDone, IconProtected } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './access.module.css'
import { labels, verbTexts } from './labels.ts'
import { deleteRole, rolesQuery, setRole, useAccessChange } from '../../data/access/queries.ts'

const words = labels.roles

/** Shows what each role allows. Those who manage the organization add their own. */
export function RolesPage() {
  const mayChange = useMay()('manage')
  const [open, setOpen] = useState<Role | 'new'>()
  const close = (): void => setOpen(undefined)
  useCommands(
    mayChange
      ? [{ id: 'new-role', label: words.create, keys: 'n', icon: IconProtected, run: () => setOpen('new') }]
      : [],
  )
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        mayChange && (
          <Button leftSection={<IconAdd />} onClick={() => setOpen('new')}>
            {words.create}
          </Button>
        )
      }
    >
      <QueryPart query={useQuery(rolesQuery(useScope()))} rows={6}>
        {(roles) => (
          <>
            <RoleTable roles={roles} onOpen={mayChange ? setOpen : undefined} />
            <DescriptionList facts={verbTexts} />
          </>
        )}
      </QueryPart>
      <FormDrawer
        opened={open !== undefined}
        onClose={close}
        title={open === 'new' ? words.create : words.change(open?.name ?? '')}
      >
        {open && (
          <RoleForm key={open === 'new' ? '' : open.name} role={open === 'new' ? undefined : open} onDone={close} />
        )}
      </FormDrawer>
    </Page>
  )
}

interface RoleTableProps {
  readonly roles: readonly Role[]
  /** Undefined: the viewer may not change roles. */
  readonly onOpen: ((role: Role) => void) | undefined
}

function RoleTable({ roles, onOpen }: RoleTableProps) {
  return (
    <DataTable
      label={words.title}
      rows={roles}
      keyOf={({ name }) => name}
      columns={[
        {
          key: 'name',
          header: words.name,
          cell: (role) =>
            role.isBuiltIn || !onOpen ? (
              <Group gap="xs">
                <Text fw={500}>{role.name}</Text>
                {role.isBuiltIn && <Badge size="sm">{words.builtIn}</Badge>}
              </Group>
            ) : (
              <UnstyledButton onClick={() => onOpen(role)}>
                <Text component="span" fw={500}>
                  {role.name}
                </Text>
              </UnstyledButton>
            ),
        },
        ...allVerbs.map((verb) => ({
          key: verb,
          header: verb,
          headerContent: <span title={verbTexts[verb]}>{verb}</span>,
          cell: ({ verbs }: Role) =>
            verbs.includes(verb) ? (
              <span className={classes['has']} role="img" aria-label={words.allows}>
                <IconDone />
              </span>
            ) : (
              <span className={classes['none']} role="img" aria-label={words.allowsNot}>
                –
              </span>
            ),
        })),
      ]}
    />
  )
}

interface RoleFormProps {
  /** Undefined: a new one. */
  readonly role: Role | undefined
  readonly onDone: () => void
}

/** Chooses what a role allows. Every role lists. */
function RoleForm({ role, onDone }: RoleFormProps) {
  const scope = useScope()
  const form = useForm<{ name: string; verbs: Verb[] }>({
    initialValues: { name: role?.name ?? '', verbs: [...(role?.verbs ?? ['list' as const])] },
    validate: { name: (name) => (/^[a-z][a-z0-9-]{0,62}$/.test(name) ? null : words.nameWrong) },
  })
  const [isDeleting, setDeleting] = useState(false)
  const set = useAccessChange((verbs: Verb[]) => setRole(scope, role?.name ?? '', verbs))
  const save = useAccessChange(async ({ name, verbs }: typeof form.values) => {
    const chosen = allVerbs.filter((verb) => verbs.includes(verb))
    await setRole(scope, name, chosen)
    onDone()
    focusOn(name)
    if (!role) return toast.success(words.created(name))
    return toast.success(words.changed(name), {
      isButtonOnly: true,
      undo: async () => {
        await set.mutateAsync([...role.verbs])
        return words.asBefore(name)
      },
      redo: () => set.mutateAsync(chosen),
    })
  })
  return (
    <>
      <SubmitForm
        form={form}
        mutation={save}
        label={role ? words.save : words.submit}
        isIncomplete={role !== undefined && !form.isDirty()}
        leading={
          role && (
            <Button variant="default" c="var(--danger-text)" mr="auto" onClick={() => setDeleting(true)}>
              {words.delete}
            </Button>
          )
        }
      >
        {role ? (
          <Text c="dimmed">{words.changeText}</Text>
        ) : (
          <TextInput
            {...form.getInputProps('name')}
            label={words.name}
            description={words.nameUse}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            required
            data-autofocus
          />
        )}
        <VerbChoice {...form.getInputProps('verbs')} />
      </SubmitForm>
      {role && <DeleteRole role={role} opened={isDeleting} onClose={() => setDeleting(false)} onDone={onDone} />}
    </>
  )
}

interface VerbChoiceProps {
  readonly value?: string[]
  readonly onChange: (verbs: string[]) => void
}

function VerbChoice(input: VerbChoiceProps) {
  return (
    <Checkbox.Group {...input} label={words.verbs}>
      <Stack gap="xs" mt="xs">
        {allVerbs.map((verb) => (
          <Checkbox
            key={verb}
            value={verb}
            label={verb}
            description={verbTexts[verb]}
            // Every role lists.
            disabled={verb === 'list'}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

interface DeleteRoleProps {
  readonly role: Role
  readonly opened: boolean
  readonly onClose: () => void
  readonly onDone: () => void
}

function DeleteRole({ role: { name, verbs }, opened, onClose, onDone }: DeleteRoleProps) {
  const scope = useScope()
  const undo = useAccessChange(() => setRole(scope, name, [...verbs]))
  const redo = useAccessChange(() => deleteRole(scope, name))
  const deletion = useAccessChange(async () => {
    await deleteRole(scope, name)
    onClose()
    onDone()
    toast.success(words.deleted(name), {
      isButtonOnly: true,
      undo: async () => {
        await undo.mutateAsync()
        return words.created(name)
      },
      redo: () => redo.mutateAsync(),
    })
  })
  return (
    <ConfirmDialog
      title={words.deleteTitle(name)}
      label={words.deleteConfirm(name)}
      mutation={{ ...deletion, mutate: () => deletion.mutate() }}
      opened={opened}
      onClose={onClose}
    >
      {words.deleteText}
    </ConfirmDialog>
  )
}

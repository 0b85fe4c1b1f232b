import { NativeSelect, Stack, Text } from '@mantine/core'
import { builtInRoles, type DefaultRole, defaultRoles, type Verb } from '@rollkey/contract/rules'
import { useState } from 'react'
import { useScope } from '../../session/scope.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { setDefaultRole, useAccessChange } from '../../data/access/queries.ts'
import { labels as accessLabels, verbsText } from '../../data/access/labels.ts'
import { labels } from './labels.ts'

const words = labels.defaultRole

interface DefaultRoleFieldProps {
  readonly defaultRole: DefaultRole
  readonly mayChange: boolean
}

/** Shows what every member may do, and lets those who manage the organization change it after a question. */
export function DefaultRoleField({ defaultRole, mayChange }: DefaultRoleFieldProps) {
  const scope = useScope()
  const [chosen, setChosen] = useState<DefaultRole>()
  const close = (): void => setChosen(undefined)
  const lost = chosen ? verbsOf(defaultRole).filter((verb) => !verbsOf(chosen).includes(verb)) : []
  const change = useAccessChange((role: DefaultRole) => setDefaultRole(scope, role))
  const save = (role: DefaultRole): void =>
    change.mutate(role, {
      onSuccess: () => {
        close()
        toast.success(words.done(role), {
          isButtonOnly: true,
          undo: async () => {
            await change.mutateAsync(defaultRole)
            return words.done(defaultRole)
          },
          redo: () => change.mutateAsync(role),
        })
      },
    })
  return (
    <>
      {mayChange && (
        <NativeSelect
          label={words.label}
          maw={240}
          data={defaultRoles.map((role) => ({ value: role, label: words.names[role] }))}
          value={chosen ?? defaultRole}
          onChange={({ currentTarget }) => setChosen(defaultRoles.find((role) => role === currentTarget.value))}
        />
      )}
      <Text c="dimmed">{accessLabels.defaultRoles[defaultRole]}</Text>
      <ConfirmDialog
        title={words.question(chosen ?? defaultRole)}
        label={words.submit}
        isDangerous={false}
        mutation={{ ...change, mutate: () => chosen && save(chosen) }}
        opened={chosen !== undefined && chosen !== defaultRole}
        onClose={close}
      >
        <Stack gap="sm">
          <Text>{accessLabels.defaultRoles[chosen ?? defaultRole]}</Text>
          {lost.length > 0 && <Text>{words.lost(verbsText(lost))}</Text>}
          {lost.includes('read') && <Text>{words.youToo}</Text>}
          <Text>{words.kept}</Text>
        </Stack>
      </ConfirmDialog>
    </>
  )
}

function verbsOf(role: DefaultRole): readonly Verb[] {
  return role === 'none' ? [] : builtInRoles[role]
}

import type { Stage } from '@rollkey/sdk/core'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useScope } from '../../session/scope.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { toast } from '../../ui/toast.tsx'
import { focusOn } from '../../ui/focus.ts'
import { stageFocus } from '../../data/projects/commands.ts'
import classes from './protection.module.css'
import { usePrincipalName } from '../../data/access/names.ts'
import { losingQuery, protect, useAccessChange } from '../../data/access/queries.ts'
import { labels } from './labels.ts'
import { verbsText } from '../../data/access/labels.ts'

const words = labels.protection

interface ProtectionDialogProps {
  readonly projectSlug: string
  readonly stage: Stage
  readonly opened: boolean
  readonly onClose: () => void
}

function useProtection(
  { projectSlug, stage: { stageSlug }, onClose }: Omit<ProtectionDialogProps, 'opened'>,
  isProtected: boolean,
  done: string,
  undone: string,
) {
  const scope = useScope()
  const undo = useAccessChange(() => protect(scope, { projectSlug, stageSlug }, !isProtected))
  return useAccessChange(async () => {
    await protect(scope, { projectSlug, stageSlug }, isProtected)
    onClose()
    focusOn(stageFocus(stageSlug))
    toast.success(done, {
      undo: async () => {
        await undo.mutateAsync()
        return undone
      },
    })
  })
}

/** Asks before a stage is protected, or its protection ends. */
export function ProtectionDialog(props: ProtectionDialogProps) {
  return props.stage.isProtected ? <EndProtectionDialog {...props} /> : <ProtectDialog {...props} />
}

/** Returns the mutation that protects a stage. */
export function useProtecting(props: Omit<ProtectionDialogProps, 'opened'>) {
  const { name } = props.stage
  return useProtection(props, true, words.done(name), words.ended(name))
}

/** Asks before a stage is protected. */
function ProtectDialog(props: ProtectionDialogProps) {
  const { projectSlug, stage, opened, onClose } = props
  const protection = useProtecting(props)
  return (
    <ConfirmDialog
      title={words.title(stage.name)}
      label={words.submit(stage.name)}
      isDangerous={false}
      mutation={{ ...protection, mutate: () => protection.mutate() }}
      opened={opened}
      onClose={onClose}
    >
      <WhatProtectionDoes projectSlug={projectSlug} stageSlug={stage.stageSlug} />
    </ConfirmDialog>
  )
}

interface LosingProps {
  readonly projectSlug: string
  readonly stageSlug: string
}

/** Says what the protection of a stage does, and who loses what by it. */
export function WhatProtectionDoes(place: LosingProps) {
  return (
    <Stack gap="sm">
      <Text>{words.text}</Text>
      <Losing {...place} />
    </Stack>
  )
}

/** Lists who would lose what. */
function Losing(place: LosingProps) {
  const nameOf = usePrincipalName()
  return (
    <div>
      <Text fw={600}>{words.losing}</Text>
      <QueryPart query={useQuery(losingQuery(useScope(), place))} rows={3}>
        {(losing) =>
          losing.length === 0 ? (
            <Text c="dimmed">{words.losingNone}</Text>
          ) : (
            <>
              <ul className={`plain-list ${classes['losing']}`}>
                {losing.map(({ principal, verbs }, at) => (
                  <li key={at}>
                    <span className="wrapping">{principal ? nameOf(principal) : words.everyMember}</span>
                    <Text component="span" size="sm" c="dimmed">
                      {words.lost(verbsText(verbs))}
                    </Text>
                  </li>
                ))}
              </ul>
              {losing.some(({ principal }) => !principal) && <Text mt="xs">{words.youToo}</Text>}
            </>
          )
        }
      </QueryPart>
    </div>
  )
}

/** Asks before the protection of a stage ends. The service requires a fresh confirmation. */
function EndProtectionDialog(props: ProtectionDialogProps) {
  const { stage, opened, onClose } = props
  const ending = useProtection(props, false, words.ended(stage.name), words.done(stage.name))
  return (
    <ConfirmDialog
      title={words.endTitle(stage.name)}
      label={words.endSubmit}
      mutation={{ ...ending, mutate: () => ending.mutate() }}
      opened={opened}
      onClose={onClose}
    >
      {words.endText(stage.name)}
    </ConfirmDialog>
  )
}

import { Button } from '@mantine/core'
import type { Digested } from '@rollkey/contract'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isExposed } from '../../../data/variables/labels.ts'
import { useCommands } from '../../../ui/commands.ts'
import { IconRefresh } from '../../../ui/icons.ts'
import { OnceOpened } from '../../../ui/dialog.tsx'
import type { RotateDialogProps } from './rotate-dialog.tsx'
import { labels } from './labels.ts'

const { rotate: words } = labels
const RotateDialog = lazy(async () => ({ default: (await import('./rotate-dialog.tsx')).RotateDialog }))

/** Returns whether another value can replace that of a variable: it is a secret with its own value, and not being rotated. */
export function isRotatable(variable: Digested | undefined): variable is Digested {
  return variable?.kind === 'secret' && !isExposed(variable) && !variable.template
}

/** Opens the rotation of a secret, at once if the page was opened for that. */
export function RotateButton(props: Omit<RotateDialogProps, 'opened' | 'onClose'>) {
  const { variable, stage } = props
  const startsRotating = useLocation({ select: ({ state }) => state.isRotating ?? false })
  const [opened, { open, close }] = useDisclosure(startsRotating)
  useCommands([{ label: words.command(variable.name, stage.name), icon: IconRefresh, run: open }])
  return (
    <>
      <Button variant="default" onClick={open}>
        {words.open}
      </Button>
      <OnceOpened opened={opened}>
        <Suspense>
          <RotateDialog {...props} opened={opened} onClose={close} />
        </Suspense>
      </OnceOpened>
    </>
  )
}

import { Button, Group } from '@mantine/core'
import { notifications, Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.css'
import { IconError, IconInfo, IconSuccess } from './icons.ts'
import classes from './toasts.module.css'
import { labels } from './labels.ts'

const kinds = {
  success: { color: 'verdigris', role: 'status', Icon: IconSuccess },
  info: { color: 'gray', role: 'status', Icon: IconInfo },
  error: { color: 'red', role: 'alert', Icon: IconError },
} as const

/** How long a toast is shown: longer with an undo, because deciding takes time. It stays under the pointer or the focus. */
const shownMs = { plain: 5000, decision: 10_000 }

interface Toast {
  readonly kind: keyof typeof kinds
  readonly message: string
  readonly undo: (() => void) | undefined
}

export function showToast({ kind, message, undo }: Toast): void {
  const { color, role, Icon } = kinds[kind]
  const takeBack = (): void => {
    notifications.hide(id)
    undo?.()
  }
  // The same message twice is one toast, which stays for longer. Each undo has its own.
  const sameId = undo ? undefined : `${kind} ${message}`
  if (sameId !== undefined) notifications.hide(sameId)
  const id = notifications.show({
    ...(sameId !== undefined && { id: sameId }),
    color,
    role,
    icon: <Icon size={20} />,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <span className="wrapping">{message}</span>
        {undo && (
          <Button size="xs" variant="default" flex="none" onClick={takeBack}>
            {labels.undo}
          </Button>
        )}
      </Group>
    ),
    classNames: { root: classes['toast'] ?? '', icon: classes['icon'] ?? '' },
    closeButtonProps: { 'aria-label': labels.dismiss },
    autoClose: undo || kind === 'error' ? shownMs.decision : shownMs.plain,
  })
}

export function Toasts() {
  return (
    <Notifications
      className={classes['toasts'] ?? ''}
      position="bottom-right"
      transitionDuration={120}
      containerWidth={400}
      limit={3}
    />
  )
}

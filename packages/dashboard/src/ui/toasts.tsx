import { Button, Group } from '@mantine/core'
import { notifications, Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.css'
import { IconError, IconInfo, IconSuccess } from './icons.ts'
import classes from './toasts.module.css'
import { Keys } from './keys.tsx'
import { labels } from './labels.ts'

const kinds = {
  success: { color: 'verdigris', role: 'status', Icon: IconSuccess },
  info: { color: 'gray', role: 'status', Icon: IconInfo },
  error: { color: 'red', role: 'alert', Icon: IconError },
} as const

/** How long a toast is shown: longer with an undo, because deciding takes time. It stays under the pointer or the focus. */
const shownMs = { plain: 5000, decision: 10_000 }

/** A button of a toast that leads to a page. */
export interface ToastLink {
  readonly label: string
  readonly go: () => void
}

interface Toast {
  readonly kind: keyof typeof kinds
  readonly message: string
  readonly undo: (() => void) | undefined
  readonly link: ToastLink | undefined
}

/** Takes back what the toast in sight offers to undo. */
let latest: (() => void) | undefined
/** How long the key shows a toast with an undo again. */
const recallableMs = 5 * 60_000
/** The latest toast whose undo was not used. */
let recallable: { readonly toast: Toast; readonly untilMs: number } | undefined
/** Ids of the toasts that the confirmation of the next action replaces. */
const replaceable = new Set<string>()

export function showToast(toast: Toast): void {
  const { kind, message, undo, link } = toast
  const { color, role, Icon } = kinds[kind]
  let origin: EventTarget | null = null
  const takeBack = (): void => {
    // The focus returns to where it was before the button.
    if (origin instanceof HTMLElement) origin.focus()
    notifications.hide(id)
    recallable = undefined
    undo?.()
  }
  // The key takes back the latest action alone, so its toast replaces the earlier ones. Errors stay, and news take no undo away.
  if (kind === 'success') {
    for (const each of replaceable) notifications.hide(each)
    replaceable.clear()
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
      <Group justify="space-between" wrap={link && undo ? 'wrap' : 'nowrap'} gap="xs">
        {/* Two buttons leave no room beside it. */}
        <span className="wrapping" style={link && undo ? { flexBasis: '100%' } : undefined}>
          {message}
        </span>
        {link && <LinkButton link={link} onGo={() => notifications.hide(id)} />}
        {undo && (
          <Button
            size="xs"
            variant="default"
            flex="none"
            rightSection={
              <span aria-hidden>
                <Keys>{labels.undoKey}</Keys>
              </span>
            }
            aria-keyshortcuts={labels.undoKey}
            onFocus={({ relatedTarget }) => {
              origin = relatedTarget
            }}
            onClick={takeBack}
          >
            {labels.undo}
          </Button>
        )}
      </Group>
    ),
    classNames: { root: classes['toast'] ?? '', icon: classes['icon'] ?? '' },
    closeButtonProps: { 'aria-label': labels.dismiss },
    onClose: () => {
      if (latest === takeBack) latest = undefined
    },
    autoClose: undo || link || kind === 'error' ? shownMs.decision : shownMs.plain,
  })
  if (undo) latest = takeBack
  if (kind !== 'error') replaceable.add(id)
  remember(toast)
}

/** Keeps a toast for the key. One without an undo is about a later action than the one that was kept. */
function remember(toast: Toast): void {
  if (toast.undo) recallable = { toast, untilMs: Date.now() + recallableMs }
  else if (toast.kind === 'success') recallable = undefined
}

interface LinkButtonProps {
  readonly link: ToastLink
  readonly onGo: () => void
}

function LinkButton({ link: { label, go }, onGo }: LinkButtonProps) {
  const leave = (): void => {
    onGo()
    go()
  }
  return (
    <Button size="xs" variant="default" flex="none" onClick={leave}>
      {label}
    </Button>
  )
}

/** Takes back what the toast in sight offers to undo. Shows the latest one again, if it is gone: nothing changes unseen. */
export function undoLatest(): void {
  if (latest) latest()
  else if (recallable && Date.now() < recallable.untilMs) showToast(recallable.toast)
  else showToast({ kind: 'info', message: labels.nothingToUndo, undo: undefined, link: undefined })
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

import { Button, Group } from '@mantine/core'
import { notifications, Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.css'
import { isApple } from '../lib/browser.ts'
import { useCharacterKeys } from './commands.ts'
import { IconError, IconInfo, IconSuccess } from './icons.ts'
import classes from './toasts.module.css'
import { Keys } from './keys.tsx'
import { labels } from './labels.ts'

const kinds = {
  success: { color: 'verdigris', role: 'status', Icon: IconSuccess },
  info: { color: 'gray', role: 'status', Icon: IconInfo },
  error: { color: 'red', role: 'alert', Icon: IconError },
} as const

/** How long a toast is shown: longer with an undo or news, because deciding and reading take time. It stays under the pointer or the focus. */
const shownMs = { plain: 5000, decision: 10_000 }

/** A button of a toast that leads to a page. */
export interface ToastLink {
  readonly label: string
  readonly go: () => void
}

/** What a toast offers: to take an action back, or to do it again. */
export interface Step {
  readonly kind: 'undo' | 'redo'
  /** Whether no key does it. */
  readonly isButtonOnly: boolean
  readonly run: () => void
}

const stepWords = {
  undo: { label: labels.undo, key: 'u', modKey: 'mod+z', none: labels.nothingToUndo, byButton: labels.undoByButton },
  redo: {
    label: labels.redo,
    key: 'shift+u',
    modKey: 'mod+shift+z',
    none: labels.nothingToRedo,
    byButton: labels.redoByButton,
  },
} as const

interface Toast {
  readonly kind: keyof typeof kinds
  readonly message: string
  readonly step: Step | undefined
  readonly link: ToastLink | undefined
  /** Whether it takes the place of the news before it. @default false */
  readonly isNews?: boolean
}

/** What the toast in sight offers. */
let latest: Step | undefined
/** How long the key shows a toast with a step again. */
const recallableMs = 5 * 60_000
/** The latest toast whose step was not used. */
let recallable: { readonly toast: Toast; readonly untilMs: number } | undefined
/** Ids of the toasts that the confirmation of the next action replaces. */
const replaceable = new Set<string>()

export function showToast(toast: Toast): void {
  const { kind, message, step, link, isNews = false } = toast
  const { color, role, Icon } = kinds[kind]
  let origin: EventTarget | null = null
  const run = (): void => {
    // The focus returns to where it was before the button.
    if (origin instanceof HTMLElement) origin.focus()
    notifications.hide(id)
    recallable = undefined
    step?.run()
  }
  const offered = step && { ...step, run }
  // The key takes back the latest action alone, so its toast replaces the earlier ones. Errors stay, and news take no undo away.
  if (kind === 'success') {
    for (const each of replaceable) notifications.hide(each)
    replaceable.clear()
  }
  // The same message twice is one toast, which stays for longer, and so are news. Each undo has its own.
  const sameId = step ? undefined : isNews ? 'news' : `${kind} ${message}`
  if (sameId !== undefined) notifications.hide(sameId)
  const id = notifications.show({
    ...(sameId !== undefined && { id: sameId }),
    color,
    role,
    icon: <Icon size={20} />,
    message: (
      <Group justify="space-between" wrap={link && step ? 'wrap' : 'nowrap'} gap="xs">
        {/* Two buttons leave no room beside it. */}
        <span className="wrapping" style={link && step ? { flexBasis: '100%' } : undefined}>
          {message}
        </span>
        {link && <LinkButton link={link} onGo={() => notifications.hide(id)} />}
        {offered && (
          <StepButton
            step={offered}
            onFocus={(from) => {
              origin = from
            }}
          />
        )}
      </Group>
    ),
    classNames: { root: classes['toast'] ?? '', icon: classes['icon'] ?? '' },
    closeButtonProps: { 'aria-label': labels.dismiss },
    onClose: () => {
      if (latest === offered) latest = undefined
    },
    autoClose: step || link || isNews || kind === 'error' ? shownMs.decision : shownMs.plain,
  })
  if (offered) latest = offered
  if (kind !== 'error' && !isNews) replaceable.add(id)
  remember(toast)
}

/** Keeps a toast for the keys. One without a step is about a later action than the one that was kept. */
function remember(toast: Toast): void {
  if (toast.step) recallable = { toast, untilMs: Date.now() + recallableMs }
  else if (toast.kind === 'success') recallable = undefined
}

interface StepButtonProps {
  readonly step: Step
  /** Receives what had the focus before. */
  readonly onFocus: (from: EventTarget | null) => void
}

function StepButton({ step: { kind, isButtonOnly, run }, onFocus }: StepButtonProps) {
  const { label, key: characterKey, modKey } = stepWords[kind]
  const [hasCharacterKeys] = useCharacterKeys()
  const key = hasCharacterKeys ? characterKey : modKey
  return (
    <Button
      size="xs"
      variant="default"
      flex="none"
      {...(!isButtonOnly && {
        rightSection: (
          <span aria-hidden className={classes['key']}>
            <Keys>{key}</Keys>
          </span>
        ),
        'aria-keyshortcuts': key.replace('mod', isApple ? 'Meta' : 'Control'),
      })}
      onFocus={({ relatedTarget }) => onFocus(relatedTarget)}
      onClick={run}
    >
      {label}
    </Button>
  )
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

/** Does what the toast in sight offers to a key. Shows the latest one again, if it is gone: nothing changes unseen. */
export function runLatest(kind: Step['kind']): void {
  if (latest?.kind === kind && latest.isButtonOnly)
    showToast({ kind: 'info', message: stepWords[kind].byButton, step: undefined, link: undefined })
  else if (latest?.kind === kind) latest.run()
  else if (!latest && recallable?.toast.step?.kind === kind && Date.now() < recallable.untilMs)
    showToast(recallable.toast)
  else showToast({ kind: 'info', message: stepWords[kind].none, step: undefined, link: undefined })
}

/** Removes all toasts. The keys show none of them again. */
export function clearToasts(): void {
  notifications.clean()
  latest = undefined
  recallable = undefined
  replaceable.clear()
}

export function Toasts() {
  return (
    <Notifications
      className={classes['toasts'] ?? ''}
      position="bottom-left"
      transitionDuration={120}
      containerWidth={400}
      limit={3}
    />
  )
}

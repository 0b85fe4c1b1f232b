import { lazy, Suspense } from 'react'
import { loaded } from '../lib/code.ts'
import { ConfirmationCanceled, explain } from '../service/errors.ts'
import { labels } from './labels.ts'
import type { ToastLink } from './toasts.tsx'

interface ToastOptions {
  /** Takes the action back, and returns what to tell, if it knows more than "Undone". Absent: the toast offers no undo. */
  readonly undo?: () => unknown
  /** Where the action led. Absent: nowhere else. */
  readonly link?: ToastLink
}

type Kind = 'success' | 'info' | 'error'

/** Loads the toasts, which the page does before the first one: it may say that the server does not answer. */
export const loadToasts = () => loaded(() => import('./toasts.tsx'))
const first = Promise.withResolvers<void>()

function show(kind: Kind, message: string, undo?: () => void, link?: ToastLink): void {
  first.resolve()
  void loadToasts().then(({ showToast }) => showToast({ kind, message, undo, link }))
}

interface Confirmation extends ToastOptions {
  readonly message: string
}

/** The confirmations of one action that has several results. */
let collected: Confirmation[] | undefined

/** Returns one confirmation for all. Its undo takes back the last one first. */
function joined(confirmations: readonly Confirmation[]): Confirmation {
  const steps = confirmations.flatMap(({ undo }) => undo ?? []).toReversed()
  const takeAllBack = async (): Promise<string> => {
    const done: unknown[] = []
    for (const undo of steps) done.push(await undo())
    return done.filter((each) => typeof each === 'string' && each !== '').join('. ')
  }
  const link = confirmations.findLast((each) => each.link)?.link
  return {
    message: confirmations.map(({ message }) => message).join('. '),
    ...(link && { link }),
    ...(steps.length === confirmations.length && { undo: takeAllBack }),
  }
}

async function takeBack(undo: () => unknown): Promise<void> {
  try {
    const done = await undo()
    show('info', typeof done === 'string' && done !== '' ? done : labels.undone)
  } catch (error) {
    show('error', explain(error))
  }
}

/**
 * Confirms completed actions at the foot of the window. Essential texts are also elsewhere, because a toast disappears by
 * itself.
 *
 * @example
 * toast.success('Saved to dev', { undo: () => restore(revision) })
 */
export const toast = {
  success(message: string, options: ToastOptions = {}): void {
    const { undo, link } = options
    if (collected) collected.push({ message, ...options })
    else show('success', message, undo && (() => void takeBack(undo)), link)
  },
  /** Shows what `confirm` confirms as one toast. An undo is offered if all of it can be taken back. */
  together(confirm: () => void): void {
    const all: Confirmation[] = []
    collected = all
    try {
      confirm()
    } finally {
      collected = undefined
    }
    const { message, ...options } = joined(all)
    if (message !== '') this.success(message, options)
  },
  /** Tells what no action did. It leaves an undo in sight. */
  info(message: string): void {
    show('info', message)
  },
  /** Shows an error after its form or dialog closed. Otherwise errors are next to the button. */
  error(error: unknown): void {
    if (!(error instanceof ConfirmationCanceled)) show('error', explain(error))
  },
}

/** Takes back what the toast in sight offers to undo, or shows the latest one again. */
export function undoLatest(): void {
  first.resolve()
  void loadToasts().then(({ undoLatest: undo }) => undo())
}

const Toasts = lazy(async () => {
  await first.promise
  return { default: (await loadToasts()).Toasts }
})

/** Shows all toasts, once there is one. The application has one region. */
export function ToastRegion() {
  return (
    <Suspense>
      <Toasts />
    </Suspense>
  )
}

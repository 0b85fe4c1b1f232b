import { lazy, Suspense } from 'react'
import { explain } from '../service/errors.ts'

interface ToastOptions {
  /** Takes the action back. Absent: the toast offers no undo. */
  readonly undo?: () => unknown
}

type Kind = 'success' | 'info' | 'error'

/** The toasts are loaded with the first of them. */
const load = () => import('./toasts.tsx')

function show(kind: Kind, message: string, undo?: () => void): void {
  void load().then(({ showToast }) => showToast({ kind, message, undo }))
}

async function takeBack(undo: () => unknown): Promise<void> {
  try {
    await undo()
    show('info', 'Undone')
  } catch (error) {
    show('error', explain(error))
  }
}

/**
 * Confirms completed actions at the foot of the window. Nothing that a person must read stands only here, because a toast
 * goes away on its own.
 *
 * @example
 * toast.success('Saved to dev', { undo: () => restore(revision) })
 */
export const toast = {
  success(message: string, { undo }: ToastOptions = {}): void {
    show('success', message, undo && (() => void takeBack(undo)))
  },
  info(message: string): void {
    show('info', message)
  },
  /** For what failed after its form or dialog was gone; otherwise the error stands next to the button. */
  error(error: unknown): void {
    show('error', explain(error))
  },
}

const Toasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }))

/** The place of all toasts; once in the application. */
export function ToastRegion() {
  return (
    <Suspense>
      <Toasts />
    </Suspense>
  )
}

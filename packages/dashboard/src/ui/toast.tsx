import { lazy, Suspense } from 'react'
import { loaded } from '../lib/code.ts'
import { ConfirmationCanceled, explain } from '../service/errors.ts'
import { labels } from './labels.ts'
import type { Step, ToastLink } from './toasts.tsx'

/** How an action is taken back, and done again. */
interface Reversal {
  /** Takes the action back, and returns what to tell, if it knows more than "Undone". */
  readonly undo: () => unknown
  /** Does it again after that. Undefined: that is not possible, since nothing keeps what it needs. */
  readonly redo: (() => unknown) | undefined
}

/** Absent: the toast offers no undo. */
export type Reversible = Reversal | { readonly undo?: undefined; readonly redo?: undefined }

type ToastOptions = Reversible & {
  /** Where the action led. Absent: nowhere else. */
  readonly link?: ToastLink
  /** Whether only the button of the toast takes it back, and no key: it is about who may do what. @default false */
  readonly isButtonOnly?: boolean
}

type Kind = 'success' | 'info' | 'error'

/** Loads the toasts, which the page does before the first one: it may say that the server does not answer. */
export const loadToasts = () => loaded(() => import('./toasts.tsx'))
const first = Promise.withResolvers<void>()

function show(kind: Kind, message: string, step?: Step, link?: ToastLink, isNews = false): void {
  first.resolve()
  void loadToasts().then(({ showToast }) => showToast({ kind, message, step, link, isNews }))
}

type Confirmation = ToastOptions & { readonly message: string }

/** The confirmations of one action that has several results. */
let collected: Confirmation[] | undefined

/** Runs steps one after the other, and returns what they tell. */
async function inTurn(steps: readonly (() => unknown)[]): Promise<string> {
  const done: unknown[] = []
  for (const step of steps) done.push(await step())
  return done.filter((each) => typeof each === 'string' && each !== '').join('. ')
}

/** Returns one confirmation for all. Its undo takes back the last one first. */
function joined(confirmations: readonly Confirmation[]): Confirmation {
  const undoSteps = confirmations.flatMap(({ undo }) => undo ?? []).toReversed()
  const redoSteps = confirmations.flatMap(({ redo }) => redo ?? [])
  const link = confirmations.findLast((each) => each.link)?.link
  const isButtonOnly = confirmations.some((each) => each.isButtonOnly)
  const reversal: Reversible =
    undoSteps.length === confirmations.length
      ? {
          undo: () => inTurn(undoSteps),
          redo: redoSteps.length === confirmations.length ? () => inTurn(redoSteps) : undefined,
        }
      : {}
  return {
    message: confirmations.map(({ message }) => message).join('. '),
    ...(link && { link }),
    isButtonOnly,
    ...reversal,
  }
}

/** Returns the step that takes an action back, which then offers to do it again. */
function undoStep(confirmation: Confirmation & Reversal): Step {
  const { undo, redo, isButtonOnly = false } = confirmation
  return {
    kind: 'undo',
    isButtonOnly,
    run: () =>
      void reported(async () => {
        const done = await undo()
        show('info', textOr(done, labels.undone), redo && redoStep({ ...confirmation, redo }))
      }),
  }
}

function redoStep(confirmation: Confirmation & Reversal & { readonly redo: () => unknown }): Step {
  const { message, redo, link, isButtonOnly = false } = confirmation
  return {
    kind: 'redo',
    isButtonOnly,
    run: () =>
      void reported(async () => {
        const done = await redo()
        show('success', textOr(done, message), undoStep(confirmation), link)
      }),
  }
}

function textOr(done: unknown, text: string): string {
  return typeof done === 'string' && done !== '' ? done : text
}

async function reported(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    show('error', explain(error))
  }
}

/**
 * Confirms completed actions at the foot of the window. Essential texts are also elsewhere, because a toast disappears by
 * itself.
 *
 * @example
 * toast.success('Saved to dev', { undo: () => restore(revision), redo: () => restore(revision + 1) })
 */
export const toast = {
  success(message: string, options: ToastOptions = {}): void {
    if (collected) collected.push({ message, ...options })
    else show('success', message, options.undo && undoStep({ message, ...options }), options.link)
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
  /** Tells what others did, in place of what it told before. */
  news(message: string): void {
    show('info', message, undefined, undefined, true)
  },
  /** Removes all toasts, and what the keys would take back. */
  clear(): void {
    void loadToasts().then(({ clearToasts }) => clearToasts())
  },
  /** Shows an error after its form or dialog closed. Otherwise errors are next to the button. */
  error(error: unknown): void {
    if (!(error instanceof ConfirmationCanceled)) show('error', explain(error))
  },
}

/** Does what the toast in sight offers to undo or redo, or shows the latest one again. */
export function runLatest(kind: Step['kind']): void {
  first.resolve()
  void loadToasts().then(({ runLatest: run }) => run(kind))
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

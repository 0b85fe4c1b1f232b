import type { Command } from './commands.ts'
import { labels } from './labels.ts'

/** The form, or the question, in which the focus is. */
const filledForm = {
  get current(): HTMLFormElement | null {
    return document.activeElement?.closest('form') ?? null
  },
}

/** The commands of every form. */
export const formCommands: readonly Command[] = [
  {
    label: labels.saveForm,
    keys: 'mod+enter',
    within: filledForm,
    isKeyOnly: true,
    // A click on a disabled button does nothing.
    run: () => filledForm.current?.querySelector<HTMLElement>('[type=submit]')?.click(),
  },
]

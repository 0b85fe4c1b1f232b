import type { Change } from '@rollkey/sdk/core'
import { labels } from './labels.ts'

/** Whether a change rotates a secret: then it states what the variable becomes, and not only its chance. */
export function isRotation({ items }: Change): boolean {
  return items.some(({ after }) => after !== undefined)
}

/** Returns the words for the steps of a change. */
export function wordsOf(proposal: Change) {
  return isRotation(proposal) ? labels.rotation : labels.ramp
}

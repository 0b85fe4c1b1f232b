import { randomUUID } from 'node:crypto'
import { limits } from '@rollkey/contract'

const visibleAscii = /^[\x21-\x7e]+$/

function isVisible(text: string, maxLength: number): boolean {
  return text.length <= maxLength && visibleAscii.test(text)
}

/** Returns the client's request id if it is 1 to 128 visible ASCII characters, otherwise a new one (docs/api.md). */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && isVisible(header, limits.requestIdCharacters) ? header : randomUUID()
}

/** Returns whether a text is a valid request key (docs/api.md). */
export function isRequestKey(text: string): boolean {
  return isVisible(text, limits.requestKeyCharacters)
}

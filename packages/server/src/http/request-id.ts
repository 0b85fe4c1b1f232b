import { randomUUID } from 'node:crypto'
import { limits } from '@rollkey/contract'

const visibleAscii = /^[\x21-\x7e]+$/

function isVisible(text: string, most: number): boolean {
  return text.length <= most && visibleAscii.test(text)
}

/** The client's trace id if it is 1 to 128 visible ASCII characters, else a new one (RULINGS, "Ids and CORS"). */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && isVisible(header, limits.requestIdCharacters) ? header : randomUUID()
}

/** Whether a text is a request key (RULINGS, "Metering"). */
export function isRequestKey(text: string): boolean {
  return isVisible(text, limits.requestKeyCharacters)
}

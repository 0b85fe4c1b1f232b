import { hash } from 'node:crypto'

/** As which a request key is stored. */
export function hashOfRequestKey(requestKey: string): string {
  return hash('sha256', requestKey, 'base64url')
}

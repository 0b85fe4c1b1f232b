import { hash } from 'node:crypto'

/** Returns the hash under which a request key is stored. */
export function hashOfRequestKey(requestKey: string): string {
  return hash('sha256', requestKey, 'base64url')
}

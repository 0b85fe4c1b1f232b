/** The address of the service, for every client and setting. */
import { RollkeyError } from './errors.ts'

/** A host with a port or a dot, and nothing that could be a password. */
const bareHost = /^(?:localhost|\[::1\]|[a-z\d-]{1,63}(?=:\d)|[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63})+)(?::\d{1,5})?\/?$/i
/** Names of this machine that need no name server, and its addresses. */
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|\/|$)/i

/** Returns whether an address without its protocol is that of this machine. */
export function isLoopback(host: string): boolean {
  return loopback.test(host)
}

/**
 * Normalizes an address, since sessions are stored by address. `source` names where it comes from. Throws INVALID_SETTING. The error does not
 * quote it: it may contain a password.
 */
export function serviceUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    if (bareHost.test(text)) {
      const whole = `${isLoopback(text) ? 'http' : 'https'}://${text}`
      throw new RollkeyError('INVALID_SETTING', `${source}: the address begins without http or https. Write ${whole}.`)
    }
    throw new RollkeyError(
      'INVALID_SETTING',
      `${source}: invalid address (expected one such as https://rollkey.example.com, without user, query or fragment).`,
    )
  }
  return url.href.replace(/\/+$/, '')
}

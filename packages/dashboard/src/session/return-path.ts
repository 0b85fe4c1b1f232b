/** Where a sign-in leads back to. */

/** Printable ASCII after one slash: a second slash or a backslash would name another host. */
const internalPath = /^\/(?![/\\])[\u0021-\u007e]*$/

/** The path if it is one of this application, else the start page. */
export function returnPath(path: unknown): string {
  return typeof path === 'string' && internalPath.test(path) ? path : '/'
}

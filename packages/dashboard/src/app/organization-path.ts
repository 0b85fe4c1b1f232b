/** Paths of pages that belong to an organization, and the paths that they had before. */

/** Paths from before they began with the organization. */
const older = /^\/(?:(?:projects|organization)(?:\/.*)?|usage|account)?$/

export function isOlderPath(path: string): boolean {
  return older.test(path)
}

/** Returns the address in an organization for an older address without one. Both begin with a slash. */
export function addressIn(orgSlug: string, olderAddress: string): string {
  const rest = olderAddress.replace(/^\/projects\//, '/p/').replace(/^\/(?=$|[?#])/, '')
  return `/o/${encodeURIComponent(orgSlug)}${rest}`
}

/** Present paths of pages that were below `organization`. */
const moved: Readonly<Record<string, string>> = {
  '': '/members',
  '/members': '/members',
  '/sessions': '/settings/sessions',
  '/tokens': '/settings/tokens',
  '/audit': '/audit',
  '/evaluations': '/usage/callers',
  '/settings': '/settings',
}

/** Returns the address of a page that was below `organization`; undefined if there was none. */
export function movedAddress(address: string): string | undefined {
  const [, organization, page = '', search = ''] =
    /^(\/o\/[^/]+)\/organization(?=$|[/?#])(\/[^?#]*)?(.*)$/.exec(address) ?? []
  const path = moved[page.replace(/\/$/, '')]
  return organization === undefined || path === undefined ? undefined : organization + path + search
}

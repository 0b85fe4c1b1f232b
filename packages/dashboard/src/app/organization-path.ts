/** Paths of pages that belong to an organization. */

/** What the path of a page was before it began with the organization. */
const older = /^\/(?:(?:projects|organization)(?:\/.*)?|usage|account)?$/

export function isOlderPath(path: string): boolean {
  return older.test(path)
}

/** The address in the organization that an older one stands for; both begin with a slash. */
export function addressIn(orgSlug: string, olderAddress: string): string {
  const rest = olderAddress.replace(/^\/projects\//, '/p/').replace(/^\/(?=$|[?#])/, '')
  return `/o/${encodeURIComponent(orgSlug)}${rest}`
}

/** Which entries of the audit log are shown, as the page's address says it, so that it can be shared. */

const filters = ['person', 'action', 'project', 'stage', 'variable', 'from', 'to'] as const
/** `entry`: number of the entry whose details are open. */
const fields = [...filters, 'entry'] as const
export type AuditField = (typeof fields)[number]

/** `from` and `to` are days, both included: YYYY-MM-DD. */
export type AuditSearch = { readonly [Field in AuditField]?: string | undefined }

/** What an address has of it. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = search[field]
      return typeof text === 'string' && text !== '' ? [[field, text]] : []
    }),
  )
}

/** Whether an address leaves something out. */
export function isFiltered(search: AuditSearch): boolean {
  return filters.some((filter) => search[filter] !== undefined)
}

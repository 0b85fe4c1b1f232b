/** Which entries of the audit log are shown, as the page's address says it, so that it can be shared. */

const fields = ['person', 'action', 'project', 'stage', 'variable', 'from', 'to'] as const
export type AuditField = (typeof fields)[number]

/** `from` and `to` are days, both included: YYYY-MM-DD. */
export type AuditSearch = { readonly [Field in AuditField]?: string }

/** What an address has of it. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = search[field]
      return typeof text === 'string' && text !== '' ? [[field, text]] : []
    }),
  )
}

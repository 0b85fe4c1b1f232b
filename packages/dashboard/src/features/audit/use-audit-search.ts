import { useNavigate, useSearch } from '@tanstack/react-router'
import { auditSearch, type AuditSearch } from './audit-search.ts'

/** What the page's address asks of the audit log, and how to ask for more or, without an argument, for everything. */
export function useAuditSearch() {
  const search = useSearch({ from: '/signed-in/o/$orgSlug/organization/audit' })
  const navigate = useNavigate({ from: '/o/$orgSlug/organization/audit' })
  const setSearch = (change?: AuditSearch): void => {
    void navigate({
      search: (before) => auditSearch(change ? { ...before, ...change } : {}),
      replace: true,
      resetScroll: false,
    })
  }
  return { search, setSearch }
}

import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { download } from '../../lib/download.ts'
import { exportAudit } from './audit-export.ts'
import type { AuditSearch } from './audit-search.ts'
import { useScope } from '../../session/use-scope.ts'

/** Downloads the entries of a search. `count`: of those that have come so far. */
export function useAuditExport(search: AuditSearch) {
  const scope = useScope()
  const [count, setCount] = useState(0)
  const abort = useRef(new AbortController())
  useEffect(() => () => abort.current.abort(), [])
  const run = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController()
      setCount(0)
      const file = await exportAudit(scope, search, setCount, abort.current.signal)
      const day = new Date().toISOString().slice(0, 10)
      if (file) download(file, `audit-${scope.orgSlug}-${day}.jsonl`)
    },
  })
  return { count, cancel: () => abort.current.abort(), run }
}

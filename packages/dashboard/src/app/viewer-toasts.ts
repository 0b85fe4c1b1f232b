import type { QueryClient } from '@tanstack/react-query'
import { type Viewer, viewerKey } from '../session/viewer.ts'
import { toast } from '../ui/toast.tsx'

/** Clears the toasts when the viewer signs out or another person signs in: they are about what the viewer did. */
export function clearToastsWithViewer(queryClient: QueryClient): void {
  let shown: Viewer | null | undefined
  queryClient.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] !== viewerKey[0]) return
    const viewer = query.state.data as Viewer | null | undefined
    // It is unknown while it is asked for again.
    if (viewer === undefined) return
    if (shown && shown.userId !== viewer?.userId) toast.clear()
    shown = viewer
  })
}

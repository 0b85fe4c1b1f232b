import { useQueryClient, type Query } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { forgetAccessTokens } from './access-token.ts'
import { viewerKey } from './viewer.ts'
import { settingsQuery } from './settings.ts'

/** Everything but the settings was asked on behalf of the viewer. */
function isOfViewer({ queryKey }: Query): boolean {
  return queryKey[0] !== settingsQuery.queryKey[0]
}

/**
 * What follows a sign-in, a sign-out, another set of organizations or another name: whatever is known about the viewer is over.
 * Then goes to the path, or stays on the page and asks anew.
 */
export function useViewerChange(): (path?: string) => Promise<void> {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async (path) => {
    forgetAccessTokens()
    if (path === undefined) {
      // The page is told who looks at it now before it asks anything on their behalf.
      await queryClient.resetQueries({ queryKey: viewerKey })
      await router.invalidate()
      queryClient.removeQueries({ predicate: isOfViewer, type: 'inactive' })
      await queryClient.invalidateQueries({ predicate: isOfViewer })
    } else {
      queryClient.removeQueries({ predicate: isOfViewer })
      await router.navigate({ href: path, replace: true })
    }
  }
}

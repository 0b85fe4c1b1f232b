import { useMutation } from '@tanstack/react-query'
import { identity, unwrap } from './client.ts'
import { forgetExternalToken } from './external-token.ts'
import { forgetRecentProjects } from './recent-projects.ts'
import { useSettings } from './use-settings.ts'
import { useViewerChange } from './use-viewer-change.ts'

/** `path`: where to go afterwards; the same page without one. */
export function useSignOut(path?: string) {
  const { provider } = useSettings()
  const viewerChanged = useViewerChange()
  return useMutation({
    mutationFn: async () => {
      if (provider === 'embedded') await unwrap(identity.signOut())
      else forgetExternalToken()
      forgetRecentProjects()
    },
    onSuccess: () => viewerChanged(path),
  })
}

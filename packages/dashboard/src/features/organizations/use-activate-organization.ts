import { useMutation } from '@tanstack/react-query'
import { identity, unwrap } from '../../session/client.ts'
import { useViewerChange } from '../../session/use-viewer-change.ts'

/** Changes the organization that one acts in. `path`: where to go afterwards; the same page without one. */
export function useActivateOrganization(path?: string) {
  const viewerChanged = useViewerChange()
  return useMutation({
    mutationFn: (organizationId: string) => unwrap(identity.organization.setActive({ organizationId })),
    onSuccess: () => viewerChanged(path),
  })
}

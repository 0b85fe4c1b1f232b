import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { identity, unwrap } from './client.ts'
import { viewerKey, type EmbeddedViewer, type Organization } from './viewer.ts'
import { useViewer } from './viewer-context.ts'

/**
 * Keeps the organization as the one that was opened last, where addresses that name none lead. Requests name theirs, so
 * this changes nothing for other tabs.
 */
export function useOpenedOrganization(opened: Organization | undefined): void {
  const viewer = useViewer()
  const queryClient = useQueryClient()
  const isNew = opened !== undefined && viewer.provider === 'embedded' && viewer.organization?.id !== opened.id
  const openedId = isNew ? opened.id : undefined
  useEffect(() => {
    if (openedId === undefined) return
    const keep = async (): Promise<void> => {
      await unwrap(identity.organization.setActive({ organizationId: openedId }))
      queryClient.setQueryData<EmbeddedViewer | null>(
        viewerKey,
        (known) => known && { ...known, organization: known.organizations.find(({ id }) => id === openedId) },
      )
    }
    // Then such addresses lead where they led before, which is no harm.
    keep().catch(() => {})
  }, [openedId, queryClient])
}

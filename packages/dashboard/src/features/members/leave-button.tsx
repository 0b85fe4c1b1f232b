import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useViewerChange } from '../../session/use-viewer-change.ts'
import { leaveOrganization } from './members.ts'
import type { Organization } from '../../session/viewer.ts'

interface LeaveButtonProps {
  readonly organization: Organization
}

export function LeaveButton({ organization }: LeaveButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const viewerChanged = useViewerChange()
  const leave = useMutation({
    mutationFn: () => leaveOrganization(organization.id),
    onSuccess: () => viewerChanged('/organizations'),
  })
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        Leave
      </Button>
      <ConfirmDialog
        title={`Leave ${organization.name}?`}
        label="Confirm leaving"
        mutation={leave}
        opened={isAsking}
        onClose={close}
      >
        You will no longer be a member of {organization.name}, and your command-line clients lose their access to it at
        once. Only an invitation brings you back.
      </ConfirmDialog>
    </>
  )
}

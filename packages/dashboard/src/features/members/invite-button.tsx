import { Button, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Role } from '../../lib/roles.ts'
import type { Organization } from '../../session/viewer.ts'
import { InviteForm } from './invite-form.tsx'

interface InviteButtonProps {
  readonly organization: Organization
  readonly ownRole: Role
}

export function InviteButton({ organization, ownRole }: InviteButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Group>
        <Button onClick={open}>Invite</Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title={`Invite to ${organization.name}`}>
        <InviteForm organization={organization} ownRole={ownRole} />
      </Modal>
    </>
  )
}

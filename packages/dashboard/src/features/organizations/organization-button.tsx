import { Badge, Button, Text } from '@mantine/core'
import type { Organization } from '../../session/viewer.ts'

interface OrganizationButtonProps {
  readonly organization: Organization
  readonly isActive: boolean
  readonly onChoose: () => void
}

export function OrganizationButton({ organization, isActive, onChoose }: OrganizationButtonProps) {
  return (
    <li>
      <Button
        variant="default"
        fullWidth
        justify="space-between"
        rightSection={isActive && <Badge>Active</Badge>}
        onClick={onChoose}
      >
        <Text component="span" truncate>
          {organization.name}
        </Text>
      </Button>
    </li>
  )
}

import { Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import classes from './brand.module.css'
import { KeyIcon } from './key-icon.tsx'

export function Brand() {
  return (
    <Link to="/" className={classes['brand'] ?? ''}>
      <Group gap="xs" wrap="nowrap">
        <KeyIcon />
        <Text component="span" fw={700} size="lg">
          Rollkey
        </Text>
      </Group>
    </Link>
  )
}

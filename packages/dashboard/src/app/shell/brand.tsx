import { Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import classes from './brand.module.css'
import { Logo } from '../../ui/logo.tsx'

interface BrandProps {
  /** Of the organization whose start page it leads to; undefined: the one that was opened last. */
  readonly orgSlug?: string
}

export function Brand({ orgSlug }: BrandProps) {
  const start = orgSlug === undefined ? { to: '/' as const } : { to: '/o/$orgSlug' as const, params: { orgSlug } }
  return (
    <Link {...start} className={classes['brand'] ?? ''}>
      <Group gap="xs" wrap="nowrap">
        <Logo />
        <Text component="span" fw={700} size="lg">
          Rollkey
        </Text>
      </Group>
    </Link>
  )
}

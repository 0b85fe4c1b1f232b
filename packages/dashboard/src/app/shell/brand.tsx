import { Link } from '@tanstack/react-router'
import { Logo } from '../../ui/logo.tsx'
import { labels } from '../labels.ts'
import classes from './brand.module.css'

interface BrandProps {
  /** The organization whose overview it opens; absent: the one that was opened last. */
  readonly orgSlug?: string
}

export function Brand({ orgSlug }: BrandProps) {
  const start = orgSlug === undefined ? { to: '/' as const } : { to: '/o/$orgSlug' as const, params: { orgSlug } }
  return (
    <Link {...start} activeOptions={{ exact: true, includeSearch: false }} className={classes['brand'] ?? ''}>
      <Logo />
      <span className={classes['name']}>{labels.brand}</span>
    </Link>
  )
}

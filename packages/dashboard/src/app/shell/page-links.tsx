import { Link, type LinkProps, type RegisteredRouter } from '@tanstack/react-router'
import classes from './page-links.module.css'

type PageOfOrganization = NonNullable<LinkProps<'a', RegisteredRouter, '/o/$orgSlug'>['to']>

interface PageLinksProps {
  /** What the pages have in common. */
  readonly label: string
  readonly pages: readonly { readonly to: PageOfOrganization; readonly label: string }[]
  readonly className?: string | undefined
}

/** Links to pages of which one is shown, or a page below it. */
export function PageLinks({ label, pages, className }: PageLinksProps) {
  return (
    <nav aria-label={label} className={[classes['links'], className].join(' ')}>
      {pages.map((page) => (
        <Link key={page.label} from="/o/$orgSlug" to={page.to} className={classes['link'] ?? ''}>
          {page.label}
        </Link>
      ))}
    </nav>
  )
}

import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import classes from './tab-links.module.css'

interface TabLinksProps {
  /** What the pages have in common. */
  readonly label: string
  /** TabLink elements. */
  readonly children: ReactNode
}

/** Tabs that are pages with addresses of which one is shown. */
export function TabLinks({ label, children }: TabLinksProps) {
  return (
    <nav aria-label={label} className={classes['tabs']}>
      {children}
    </nav>
  )
}

/** One tab: a typed link of the router, which marks the current page. */
export const TabLink = createLink((props: ComponentPropsWithRef<'a'>) => (
  // eslint-disable-next-line jsx-a11y/anchor-has-content -- The link gets its content with its props.
  <a {...props} className={classes['tab']} />
))

import { PageLinks } from './page-links.tsx'
import classes from './shell.module.css'

/** The way home is the brand. */
const pages = [
  { to: './projects', label: 'Projects' },
  { to: './usage', label: 'Usage' },
  { to: './organization', label: 'Organization' },
  { to: './account', label: 'Account' },
] as const

export function Navigation() {
  return <PageLinks label="Main" pages={pages} className={classes['navigation']} />
}

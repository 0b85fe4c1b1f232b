import { useScope } from '../../session/use-scope.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import classes from './top-bar.module.css'

/** Says where the reader is, above every page. */
export function TopBar() {
  const { orgSlug } = useScope()
  return (
    <header className={classes['bar']}>
      <Breadcrumbs key={orgSlug} />
    </header>
  )
}

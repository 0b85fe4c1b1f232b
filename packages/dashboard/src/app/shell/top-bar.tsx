import { UnstyledButton } from '@mantine/core'
import { useScope } from '../../session/use-scope.ts'
import { IconSearch } from '../../ui/icons.ts'
import { Keys } from '../../ui/keys.tsx'
import { labels } from '../labels.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import classes from './top-bar.module.css'

interface TopBarProps {
  readonly onSearch: () => void
}

/** Says where the reader is, and leads to the search, above every page. */
export function TopBar({ onSearch }: TopBarProps) {
  const { orgSlug } = useScope()
  return (
    <header className={classes['bar']}>
      <Breadcrumbs key={orgSlug} />
      <UnstyledButton className={classes['search'] ?? ''} aria-haspopup="dialog" onClick={onSearch}>
        <IconSearch />
        <span className={classes['word']}>{labels.search}</span>
        <span className={classes['keys']} aria-hidden>
          <Keys>mod+K</Keys>
        </span>
      </UnstyledButton>
    </header>
  )
}

import { Outlet } from '@tanstack/react-router'
import { mainId } from '../../ui/skip-link.tsx'
import { PhoneBar } from './phone-bar.tsx'
import classes from './shell.module.css'
import { Sidebar, useIsRail } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

/** The frame of every page of an organization. */
export function Shell() {
  const [isRail, setRail] = useIsRail()
  return (
    <div className={classes['shell']} data-rail={isRail || undefined}>
      <Sidebar isRail={isRail} setRail={setRail} />
      <div className={classes['column']}>
        <TopBar />
        <main id={mainId} className={classes['main']}>
          <Outlet />
        </main>
      </div>
      <PhoneBar />
    </div>
  )
}

import { useLocation } from '@tanstack/react-router'
import { Loading, PageSkeleton } from '../../ui/loading.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import phoneBar from './phone-bar.module.css'
import classes from './shell.module.css'
import sidebar from './sidebar.module.css'
import { useIsRail } from './sidebar.tsx'
import topBar from './top-bar.module.css'

/** Takes the place of everything while the first page loads: of a page in an organization with its frame, so that nothing moves. */
export function FirstLoad() {
  const isInOrganization = useLocation({ select: ({ pathname }) => pathname.startsWith('/o/') })
  return isInOrganization ? <FrameSkeleton /> : <Loading />
}

function FrameSkeleton() {
  const isPhone = useIsPhone()
  const [isRail] = useIsRail()
  return (
    <div className={classes['shell']} data-rail={isRail || undefined}>
      {!isPhone && <div className={sidebar['sidebar']} />}
      <div className={classes['column']}>
        <div className={topBar['bar']} />
        <div className={classes['main']}>
          <PageSkeleton />
        </div>
      </div>
      {isPhone && <div className={phoneBar['bar']} />}
    </div>
  )
}

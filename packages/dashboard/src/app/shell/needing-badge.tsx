import { useQuery } from '@tanstack/react-query'
import { labels } from '../labels.ts'
import { needOf, openProposalsQuery } from '../../data/proposals/queries.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import classes from './sidebar.module.css'

interface NeedingBadgeProps {
  readonly className?: string | undefined
}

/** Counts the changes that need the viewer. */
export function NeedingBadge({ className = '' }: NeedingBadgeProps) {
  const { data = [] } = useQuery(openProposalsQuery(useScope()))
  const { userId } = useViewer()
  const may = useMay()
  const count = data.filter((each) => needOf(each, userId, may) !== undefined).length
  return (
    count > 0 && (
      <span className={`${classes['badge']} ${className}`} title={labels.needing(count)}>
        {count}
      </span>
    )
  )
}

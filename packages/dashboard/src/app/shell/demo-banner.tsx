import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../../session/settings.ts'
import { Banner } from '../../ui/notice.tsx'
import { labels } from '../labels.ts'

/** Says that the service is a demo. The settings are loaded before any page is shown; an error page may not have them. */
export function DemoBanner() {
  const { data } = useQuery({ ...settingsQuery, enabled: false })
  if (data?.provider !== 'embedded' || data.isDemo !== true) return null
  return <Banner kind="warning">{labels.demo}</Banner>
}

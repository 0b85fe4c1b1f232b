import { useSuspenseQuery } from '@tanstack/react-query'
import { settingsQuery, type Settings } from './settings.ts'

/** How this service is set up; there before any page is shown. */
export function useSettings(): Settings {
  return useSuspenseQuery(settingsQuery).data
}

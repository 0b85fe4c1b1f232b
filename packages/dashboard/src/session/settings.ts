import type { Answer } from '@rollkey/sdk/core'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { connect } from '../service/connection.ts'

export type Settings = Answer<'webSettings'>
export type EmbeddedSettings = Extract<Settings, { provider: 'embedded' }>
export type ExternalSettings = Extract<Settings, { provider: 'external' }>

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: (): Promise<Settings> => connect().call('webSettings', {}),
  staleTime: Infinity,
})

/** Returns the settings of the service, which are loaded before any page is shown. */
export function useSettings(): Settings {
  return useSuspenseQuery(settingsQuery).data
}

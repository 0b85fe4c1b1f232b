import type { Response } from '@rollkey/contract'
import { queryOptions } from '@tanstack/react-query'
import { get } from '../service/api.ts'

export type Settings = Response<'webSettings'>
export type EmbeddedSettings = Extract<Settings, { provider: 'embedded' }>
export type ExternalSettings = Extract<Settings, { provider: 'outside' }>

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: (): Promise<Settings> => get('/v1/web/settings'),
  staleTime: Infinity,
})

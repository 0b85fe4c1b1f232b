/** Logins of command-line clients that wait for somebody's approval. */
import type { Response } from '@rollkey/contract'
import { post } from '../service/api.ts'
import { Problem } from '../service/problem.ts'
import type { Settings } from '../service/settings.ts'
import { accessToken } from './access-token.ts'

type Provider = Settings['provider']
export type WaitingLogin = Response<'deviceShow'>

export async function showLogin(provider: Provider, userCode: string): Promise<WaitingLogin> {
  return post('/v1/cli/device/show', { userCode }, await accessToken(provider))
}

/** `orgSlug`: the organization that was shown; another tab may have changed it since. */
export async function approveLogin(provider: Provider, userCode: string, orgSlug: string): Promise<void> {
  const token = await accessToken(provider)
  const login = await post('/v1/cli/device/show', { userCode }, token)
  if (login.orgSlug !== orgSlug) {
    throw new Problem({ code: 'ORGANIZATION_CHANGED', message: 'The organization was changed.', status: 0 })
  }
  await post('/v1/cli/device/complete', { userCode }, token)
}

export async function denyLogin(provider: Provider, userCode: string): Promise<void> {
  await post('/v1/cli/device/deny', { userCode }, await accessToken(provider))
}

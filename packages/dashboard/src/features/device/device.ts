/** Logins of command-line clients that wait for somebody's approval. */
import type { Response } from '@rollkey/contract'
import { post } from '../../service/api.ts'
import { accessToken, type ActingIn } from '../../session/access-token.ts'

export type WaitingLogin = Response<'deviceShow'>

export async function showLogin(by: ActingIn, userCode: string): Promise<WaitingLogin> {
  return post('/v1/cli/device/show', { userCode }, await accessToken(by))
}

/** The client gets access to the organization that `by` names. */
export async function approveLogin(by: ActingIn, userCode: string): Promise<void> {
  await post('/v1/cli/device/complete', { userCode }, await accessToken(by))
}

export async function denyLogin(by: ActingIn, userCode: string): Promise<void> {
  await post('/v1/cli/device/deny', { userCode }, await accessToken(by))
}

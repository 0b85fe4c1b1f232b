/** Logins of command-line clients that wait for an approval. */
import type { Answer } from '@rollkey/sdk/core'
import { connect } from '../../service/connection.ts'
import { tokensOf, type ActingIn } from '../../session/access-token.ts'

export type WaitingLogin = Answer<'deviceShow'>

export async function showLogin(by: ActingIn, userCode: string): Promise<WaitingLogin> {
  return connect(tokensOf(by)).call('deviceShow', { userCode })
}

/** Approves a login, which gives the client access to the organization of `by`. */
export async function approveLogin(by: ActingIn, userCode: string): Promise<void> {
  await connect(tokensOf(by)).call('deviceComplete', { userCode })
}

export async function denyLogin(by: ActingIn, userCode: string): Promise<void> {
  await connect(tokensOf(by)).call('deviceDeny', { userCode })
}

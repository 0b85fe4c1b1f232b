import { queryOptions } from '@tanstack/react-query'
import { identity, unwrap } from '../../session/client.ts'

export interface BrowserSession {
  readonly id: string
  readonly token: string
  readonly userAgent?: string | null | undefined
  /** The last use, to the day. */
  readonly updatedAt: Date
}

export const browserSessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['browser-sessions', userId],
    queryFn: async (): Promise<readonly BrowserSession[]> => unwrap(identity.listSessions()),
  })

export async function endSession({ token }: BrowserSession): Promise<void> {
  await unwrap(identity.revokeSession({ token }))
}

export async function endOtherSessions(): Promise<void> {
  await unwrap(identity.revokeOtherSessions())
}

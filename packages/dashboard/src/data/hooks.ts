import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import type { Hook, HookDelivery, HookPlace, Request } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'
import { ended } from './sessions.ts'

/** A webhook, with its place beside its other fields, as other credentials have it. */
export type ListedHook = Omit<Hook, 'within'> & Partial<HookPlace>
export type HookRequest = Omit<Request<'hookCreate'>, 'orgSlug'>
export type HookChanges = Omit<Request<'hookUpdate'>, 'orgSlug' | 'id'>

/** How frequently to look whether messages arrive while the page is visible. */
const refreshMs = 5_000

/** Reads the webhooks, for those who manage the organization. */
export const hooksQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['hooks', scope.orgSlug],
    queryFn: async (): Promise<readonly ListedHook[]> =>
      (await ask(scope, 'hookList', {})).hooks.map(({ within, ...hook }) => ({
        ...hook,
        ...within,
        name: withoutHiddenCharacters(hook.name),
      })),
    refetchInterval: refreshMs,
  })

/** Reads the last messages of a webhook, newest first. Its key begins like that of the list, so what changes the list reads both. */
export const deliveriesQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: ['hooks', scope.orgSlug, id],
    queryFn: async (): Promise<readonly HookDelivery[]> => (await ask(scope, 'hookDeliveries', { id })).deliveries,
    refetchInterval: refreshMs,
  })

/** Returns the id and the signing secret, which no one can see again. */
export async function createHook(scope: Scope, request: HookRequest) {
  const { id, secret } = await ask(scope, 'hookCreate', request)
  return { id, secret }
}

export async function updateHook(scope: Scope, id: string, changes: HookChanges): Promise<void> {
  await ask(scope, 'hookUpdate', { id, ...changes })
}

/** Returns the new signing secret, which no one can see again. */
export async function rotateHook(scope: Scope, id: string): Promise<string> {
  return (await ask(scope, 'hookRotate', { id })).secret
}

export async function deleteHook(scope: Scope, id: string): Promise<void> {
  await ended(ask(scope, 'hookDelete', { id }))
}

/** Sends a test, and returns what was answered. */
export function testHook(scope: Scope, id: string): Promise<HookDelivery> {
  return ask(scope, 'hookTest', { id })
}

/** Sends one of the last messages again, and returns what was answered. */
export function redeliver(scope: Scope, id: string, eventId: string): Promise<HookDelivery> {
  return ask(scope, 'hookRedeliver', { id, eventId })
}

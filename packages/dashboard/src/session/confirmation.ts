/**
 * The fresh confirmation that the service requires for what is most sensitive. One dialog asks for it, and then every request that
 * waits for it continues.
 */
import { useSyncExternalStore } from 'react'
import { ConfirmationCanceled, needsConfirmation } from '../service/errors.ts'

let waiting: PromiseWithResolvers<boolean> | undefined
const listeners = new Set<() => void>()

function setWaiting(next: typeof waiting): void {
  waiting = next
  for (const listener of listeners) listener()
}

/**
 * Sends a request. If the service requires a confirmation, asks for it and sends the request again. Throws ConfirmationCanceled if the
 * person does not confirm.
 */
export async function confirming<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (!needsConfirmation(error)) throw error
    if (!(await isConfirmed())) throw new ConfirmationCanceled()
    return send()
  }
}

/** Asks the viewer to confirm that it is them. Resolves to whether they did. */
async function isConfirmed(): Promise<boolean> {
  const asked = waiting ?? Promise.withResolvers<boolean>()
  if (!waiting) setWaiting(asked)
  return asked.promise
}

/** Ends the question. */
export function endConfirmation(isGiven: boolean): void {
  waiting?.resolve(isGiven)
  setWaiting(undefined)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns whether a request waits for a confirmation. */
export function useIsConfirming(): boolean {
  return useSyncExternalStore(subscribe, () => waiting !== undefined)
}

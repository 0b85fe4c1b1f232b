import { endpoints, type EndpointName } from '@rollkey/contract'
import { expect } from 'vitest'
import type { Answer } from '../../testkit/client.ts'
import type { Operation, Prepared, Scene } from './operations.ts'

/** Returns the status and, for an error, its code, which OAuth 2.0 calls the error. */
export function outcomeOf({ status, body }: Answer): [status: number, code?: string] {
  return status === 200 ? [200] : [status, body.error.code ?? body.error]
}

/** Returns the endpoint's answer while the store is unavailable. */
export function unavailable(name: EndpointName | 'tokenExchange'): [status: number, code: string] {
  if (name === 'tokenExchange') return [503, 'temporarily_unavailable']
  const { errors } = endpoints[name] as { errors: readonly string[] }
  return [503, errors.includes('BILLING_UNAVAILABLE') ? 'BILLING_UNAVAILABLE' : 'SERVICE_UNAVAILABLE']
}

/** A disturbed operation. `met` has the points until the fault, `all` those of the undisturbed operation. */
interface Disturbed {
  readonly answer: Answer | undefined
  readonly met: readonly string[]
  readonly all: readonly string[]
}

function commitsIn(points: readonly string[]): number {
  return points.filter((point) => point.startsWith('after commit')).length
}

/** Expects answered and committed work to be done, and nothing in part. Sent again, the request works or reports that it was done. */
export async function expectAllOrNothing(
  { statuses }: Operation,
  prepared: Prepared,
  scene: Scene,
  { answer, met, all }: Disturbed,
): Promise<void> {
  const done = await prepared.isDone(scene, answer)
  if (answer?.status === 200) expect(done).toBe(true)
  if (commitsIn(all) > 0 && done !== undefined) expect(done).toBe(commitsIn(met) === commitsIn(all))
  const again = await prepared.send(scene.client)
  expect(again.status).toBe(done ? statuses[1] : statuses[0])
  expect(await prepared.isDone(scene, again)).toBe(statuses[0] === 200)
}

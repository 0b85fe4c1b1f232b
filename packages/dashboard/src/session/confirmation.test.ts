import { RollkeyError } from '@rollkey/sdk/core'
import { expect, it, vi } from 'vitest'
import { ConfirmationCanceled } from '../service/errors.ts'
import { confirming, endConfirmation } from './confirmation.ts'

const required = new RollkeyError('CONFIRMATION_REQUIRED', 'This requires a sign-in within the last 15 minutes.')

/** Returns a request that the service first refuses. */
function refusedOnce() {
  return vi.fn<() => Promise<string>>().mockRejectedValueOnce(required).mockResolvedValue('done')
}

it('sends each waiting request again after one confirmation', async () => {
  const requests = [refusedOnce(), refusedOnce()]
  const answers = Promise.all(requests.map((send) => confirming(send)))
  await expect.poll(() => requests.map((send) => send.mock.calls.length)).toEqual([1, 1])
  await Promise.resolve()
  endConfirmation(true)
  expect(await answers).toEqual(['done', 'done'])
})

it('fails without a confirmation, and sends nothing again', async () => {
  const send = refusedOnce()
  const answer = confirming(send)
  await expect.poll(() => send).toHaveBeenCalledTimes(1)
  setTimeout(() => endConfirmation(false))
  await expect(answer).rejects.toBeInstanceOf(ConfirmationCanceled)
  expect(send).toHaveBeenCalledTimes(1)
})

it('does not ask for other errors', async () => {
  const forbidden = new RollkeyError('FORBIDDEN', 'No.')
  await expect(confirming(() => Promise.reject(forbidden))).rejects.toBe(forbidden)
})

/** Tests the live events of proposed changes. */
import { expect, onTestFinished, test } from 'vitest'
import { secret } from '../../testkit/entries.ts'
import { EventReader } from '../../testkit/events.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { open, type Colleague } from './colleagues.ts'

const testEnv = useTestEnv()

async function follow({ scene, user }: Colleague, since?: string): Promise<EventReader> {
  const query = { orgSlug: scene.orgSlug, projectSlug: 'shop', ...(since !== undefined && { since }) }
  const reader = await EventReader.open(testEnv.app.url, query, await scene.tokenOf(user))
  onTestFinished(() => reader.close())
  return reader
}

test('a stream says that changes have moved, without what they propose, and continues where it ended', async () => {
  const { ada, bob } = await open(testEnv)
  const reader = await follow(bob)
  expect((await reader.next())?.id).toBe('dev:1,prod:1')
  const { id, digest } = await ada.propose({ entries: [secret('A', 'canary of an event')] })
  expect(await reader.next()).toEqual({ event: 'change', id: 'dev:1,prod:1,prod!:1', data: { stageSlug: 'prod' } })
  await bob.must('changeReview', { id, digest, verdict: 'approve' })
  expect((await reader.next())?.id).toBe('dev:1,prod:1,prod!:2')
  reader.close()
  await ada.must('changeApply', { id })
  const next = await follow(bob, 'dev:1,prod:1,prod!:2')
  const events = [await next.next(), await next.next()]
  expect(events.map((event) => [event?.event, event?.data])).toEqual([
    ['revision', { stageSlug: 'prod', revision: 2, names: ['A'] }],
    ['change', { stageSlug: 'prod' }],
  ])
  expect(reader.text + next.text).not.toContain('canary')
})

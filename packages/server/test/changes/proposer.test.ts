/** Tests that a change which no one approves is applied by itself only while its proposer may write. */
import { expect, test } from 'vitest'
import { secret } from '../../testkit/entries.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { prod } from '../access/scene.ts'
import { open, valueOf } from './colleagues.ts'

const testEnv = useTestEnv()
const minuteMs = 60_000

test('a scheduled change fails if its proposer has lost the right to write, or the token was revoked', async () => {
  const { scene, ada, bob } = await open(testEnv)
  await scene.setDefaultRole('viewer')
  await scene.grant(scene.owner.user, 'maintainer', prod)
  const made = await scene.asOwner('tokenCreate', { name: 'ci', ...prod })
  const kept = await scene.asOwner('tokenCreate', { name: 'other', ...prod })
  const applyAtMs = testEnv.clock.now() + minuteMs
  const propose = async (token: string, name: string): Promise<string> => {
    const entries = [secret(name, 'later')]
    return (await scene.call('changePropose', { ...prod, reason: 'Because', entries, applyAtMs }, token)).body.id
  }
  const ids = [
    await propose(await scene.tokenOf(ada.user), 'OF_ADA'),
    await propose(made.token, 'OF_TOKEN'),
    await propose(await scene.tokenOf(bob.user), 'OF_BOB'),
    await propose(kept.token, 'OF_OTHER'),
  ]
  await scene.revoke(ada.user, prod)
  await scene.asOwner('tokenRevoke', { id: made.id })
  testEnv.clock.advance(minuteMs)
  const states = () => Promise.all(ids.map(async (id) => (await bob.must('changeShow', { id })).state))
  await expect.poll(states).toEqual(['failed', 'failed', 'applied', 'applied'])
  expect((await bob.must('changeShow', { id: ids[0] })).problem).toMatch(/may no longer write the stage prod/)
  expect(await valueOf(bob, 'OF_BOB')).toBe('later')
})

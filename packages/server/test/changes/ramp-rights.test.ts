/** Tests that a ramp goes on only while what its first step needed holds (docs/change.md). */
import { expect, test } from 'vitest'
import { useTestEnv } from '../../testkit/test-env.ts'
import { prod } from '../access/scene.ts'
import { open, type Colleague } from './colleagues.ts'

const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_IP: '0' })
const hourMs = 3_600_000

/** Opens an organization with a ramp of three hourly steps by Ada, of which the first is written. `rules`: of the stage. */
async function started(rules?: object) {
  const found = await open(testEnv)
  const { scene, ada, bob } = found
  await scene.setDefaultRole('viewer')
  if (rules) await scene.asOwner('stageProtect', { ...prod, isProtected: true, ...rules })
  const startMs = testEnv.clock.now() + hourMs
  const steps = [0.6, 0.9, 1].map((chance, index) => ({ atMs: startMs + index * hourMs, chance }))
  const { id, digest } = await ada.propose({ ramp: { name: 'R', steps }, zone: 'UTC' })
  if (rules) await bob.must('changeReview', { id, digest, verdict: 'approve' })
  const stateOf = async () => {
    const { state, stepsDone, problem } = await bob.must('changeShow', { id })
    return [state, stepsDone, problem?.split(':')[0]]
  }
  const next = (): void => testEnv.clock.advance(hourMs)
  next()
  await expect.poll(stateOf).toEqual(['running', 1, undefined])
  /** Resumes the ramp, which moves its steps by whole days, and lets the next one come. */
  const resume = async (): Promise<void> => {
    await bob.must('changeResume', { id })
    testEnv.clock.advance(24 * hourMs)
  }
  return { ...found, id, stateOf, next, resume }
}

const notProposer = 'The one who proposed the ramp may no longer write the stage prod of the project shop'
const notApproved = 'By now, the stage prod of the project shop requires approvals (1), and the ramp has 0'

test('it pauses when its proposer may no longer write, and goes on when they may again', async () => {
  const { scene, ada, stateOf, next, resume } = await started()
  await scene.revoke(ada.user, prod)
  next()
  await expect.poll(stateOf).toEqual(['paused', 1, notProposer])
  await scene.grant(ada.user, 'developer', prod)
  await resume()
  await expect.poll(stateOf).toEqual(['running', 2, undefined])
})

test('it pauses when its proposer is no longer a member', async () => {
  const { ada, stateOf, next } = await started()
  testEnv.provider.remove(ada.user)
  next()
  await expect.poll(stateOf).toEqual(['paused', 1, notProposer])
})

test('it pauses in a stage that requires approvals by now, and goes on when it requires none again', async () => {
  const { scene, stateOf, next, resume } = await started()
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1 })
  next()
  await expect.poll(stateOf).toEqual(['paused', 1, notApproved])
  await resume()
  await expect.poll(stateOf).toEqual(['paused', 1, notApproved])
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 0 })
  await resume()
  await expect.poll(stateOf).toEqual(['running', 2, undefined])
})

test('an approval that counted at its start is enough, but not for a stage that requires more by now', async () => {
  const { scene, bob, stateOf, next } = await started({ approvals: 1 })
  await scene.revoke(bob.user, prod)
  await scene.grant(bob.user, 'viewer', prod)
  next()
  await expect.poll(stateOf).toEqual(['running', 2, undefined])
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 2 })
  next()
  await expect
    .poll(stateOf)
    .toEqual(['paused', 2, 'By now, the stage prod of the project shop requires approvals (2), and the ramp has 1'])
})

test('a step of an approved ramp is left out only by those who may approve', async () => {
  const { ada, bob, id, stateOf } = await started({ approvals: 1 })
  const skip = (who: Colleague) => who.codeOf('changeSkip', { id, stepsDone: 1 })
  expect([await skip(ada), await skip(bob)]).toEqual(['FORBIDDEN', 'ok'])
  expect(await stateOf()).toEqual(['running', 2, undefined])
  const free = await started()
  expect(await free.ada.codeOf('changeSkip', { id: free.id })).toBe('ok')
})

/** Races of an exchange with a change, a deletion and the deletion of the place of its trust. */
import { expect, test } from 'vitest'
import { isLong } from '../../testkit/long.ts'
import { useTrustScene } from './scene.ts'

const scene = useTrustScene({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_EXPENSIVE: '0', RATE_LIMIT_IP: '0' })
const exchangesAtOnce = 8

/** Exchanges tokens while `end` runs, and returns how many of those that were issued still work afterwards. */
async function survivors(end: (id: string) => Promise<unknown>, place: object = {}): Promise<number> {
  const { id } = await scene.trust(place)
  const tokens = await Promise.all(Array.from({ length: exchangesAtOnce }, () => scene.token()))
  const exchanging = tokens.map((token) => scene.exchange(token, id))
  const [, ...answers] = await Promise.all([end(id), ...exchanging])
  const issued = answers.filter(({ status }) => status === 200).map(({ body }) => body.access_token as string)
  const used = await Promise.all(issued.map((token) => scene.testEnv.client.call('whoami', {}, { token })))
  return used.filter(({ status }) => status === 200).length
}

test('no token survives the deletion or the change of its trust', async () => {
  const races = isLong ? 100 : 10
  for (let i = 0; i < races; i++) {
    expect(await survivors((id) => scene.must('trustDelete', { id }))).toBe(0)
    const owner = { ...scene.owner, token: await scene.testEnv.provider.confirmedTokenOf(scene.owner.user) }
    const place = { projectSlug: 'shop', stageSlug: `stage-${i}` }
    await scene.must('stageCreate', place)
    expect(await survivors(() => scene.must('stageDelete', { ...place, confirm: place.stageSlug }, owner), place)).toBe(
      0,
    )
  }
})

test('of the tokens of a changed trust, only those work that were checked against the change', async () => {
  const { id } = await scene.trust({ role: 'developer' })
  const { at } = scene.owner
  for (let i = 0; i < (isLong ? 100 : 10); i++) {
    const role = i % 2 === 0 ? 'viewer' : 'developer'
    const tokens = await Promise.all(Array.from({ length: exchangesAtOnce }, () => scene.token()))
    const exchanging = tokens.map((token) => scene.exchange(token, id))
    const [, ...answers] = await Promise.all([scene.must('trustUpdate', { id, role }), ...exchanging])
    for (const { status, body } of answers) {
      if (status !== 200) continue
      const answer = await scene.testEnv.client.call('evaluate', { ...at, name: 'A' }, { token: body.access_token })
      expect([401, role === 'viewer' ? 403 : 200]).toContain(answer.status)
    }
  }
})

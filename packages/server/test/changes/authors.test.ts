/** Tests that no one approves alone what a service token or a trust of theirs proposes (docs/change.md, docs/threat-model.md). */
import { expect, test } from 'vitest'
import { secret } from '../../testkit/entries.ts'
import { newIssuerKey, workloadToken, type IssuerKey } from '../../testkit/issuer.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { prod } from '../access/scene.ts'
import { open, type Colleague } from './colleagues.ts'

const testEnv = useTestEnv()
const hourMs = 3_600_000

/** Opens an organization whose stage prod requires one approval. Ann and Mia manage and approve there, Bob approves. */
async function approved() {
  const { scene, bob, person } = await open(testEnv)
  const maintainer = () => person('developer', 'releaser', 'maintainer')
  const [ann, mia] = [await maintainer(), await maintainer()]
  await scene.grant(scene.owner.user, 'maintainer', prod)
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1 })

  /** Proposes with a token of a machine. Returns the id and the digest. */
  async function propose(token: string): Promise<{ id: string; digest: string }> {
    const input = { ...prod, reason: 'CI', entries: [secret('A', 'of a machine')] }
    const { status, body } = await scene.call('changePropose', input, token)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }

  /** Returns what a person sees and gets who approves and applies a change: `not asked` and `APPROVAL_REQUIRED`, or `asked` and `ok`. */
  async function outcomeOf(who: Colleague, { id, digest }: { id: string; digest: string }): Promise<string> {
    const { needsYou } = await who.must('changeShow', { id })
    const { changes } = await who.must('changeList')
    expect(changes.find((each: { id: string }) => each.id === id).needsYou).toBe(needsYou)
    await who.must('changeReview', { id, digest, verdict: 'approve' })
    return `${needsYou ? 'asked' : 'not asked'} ${await who.codeOf('changeApply', { id })}`
  }
  return { scene, ann, mia, bob, maintainer, propose, outcomeOf }
}

/** Rotates a service token, whose former secret works for a day. */
async function rotate({ scene, user }: Colleague, id: string): Promise<{ token: string }> {
  const { status, body } = await scene.call('tokenRotate', { id, overlapHours: 24 }, await scene.tokenOf(user, true))
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const refused = 'not asked APPROVAL_REQUIRED'

test('who created or rotated a service token is an author of what it proposes while that secret works', async () => {
  const { scene, ann, mia, bob, propose, outcomeOf } = await approved()
  const created = await ann.must('tokenCreate', { name: 'ci', role: 'developer' })
  const rotated = await rotate(mia, created.id)
  const first = await propose(rotated.token)
  expect([await outcomeOf(ann, first), await outcomeOf(mia, first)]).toEqual([refused, refused])
  expect(await outcomeOf(bob, first)).toBe('asked ok')

  // Mia's secret ends an hour after Bob's begins.
  const again = await scene.asOwner('tokenRotate', { id: created.id, overlapHours: 1 })
  const during = await propose(rotated.token)
  testEnv.clock.advance(2 * hourMs)
  const after = await propose(again.token)
  expect(await outcomeOf(mia, during)).toBe(refused)
  expect(await outcomeOf(ann, after)).toBe(refused)
  expect(await outcomeOf(mia, after)).toBe('asked ok')
})

test('who rotates a service token after its proposal is an author when it is applied', async () => {
  const { ann, mia, bob, propose } = await approved()
  const { id: tokenId, token } = await ann.must('tokenCreate', { name: 'ci', role: 'developer' })
  const { id, digest } = await propose(token)
  await mia.must('changeReview', { id, digest, verdict: 'approve' })
  expect((await bob.must('changeShow', { id })).approvals).toMatchObject({ isApproved: true })
  await rotate(mia, tokenId)
  expect((await bob.must('changeShow', { id })).approvals).toMatchObject({ approvers: [], isApproved: false })
  expect(await bob.codeOf('changeApply', { id })).toBe('APPROVAL_REQUIRED')
})

const issuer = 'https://cluster.example'

/** Returns a token of a workload. */
function outsideToken(key: IssuerKey, sub = 'web', audience = 'rollkey'): Promise<string> {
  return workloadToken(key, testEnv.clock, { iss: issuer, aud: audience, sub })
}

const jwksOf = ({ publicJwk }: IssuerKey): string => JSON.stringify({ keys: [publicJwk] })

test('who created a trust, or ever changed what it accepts, is an author of what it proposes', async () => {
  const { scene, ann, mia, bob, maintainer, propose, outcomeOf } = await approved()
  const [key, other] = [await newIssuerKey(), await newIssuerKey()]
  const rules = { issuer, audience: 'rollkey', claims: [{ name: 'sub', value: 'web' }], jwks: jwksOf(key) }
  const { id } = await ann.must('trustCreate', { name: 'deploy', role: 'developer', ...rules })
  const exchanged = async (token: string): Promise<string> =>
    (await testEnv.client.exchange(token, id)).body.access_token
  const update = (who: Colleague, changes: object) =>
    scene.tokenOf(who.user, true).then((token) => scene.call('trustUpdate', { id, ...changes }, token))

  const first = await propose(await exchanged(await outsideToken(key)))
  expect(await outcomeOf(ann, first)).toBe(refused)
  expect(await outcomeOf(mia, first)).toBe('asked ok')

  // These give the trust to no one else.
  expect(await update(mia, { name: 'other', lifetimeSeconds: 600, forks: true })).toMatchObject({ status: 200 })
  const second = await propose(await exchanged(await outsideToken(key)))
  expect(await outcomeOf(mia, second)).toBe('asked ok')

  const former = { jwks: jwksOf(key), claims: rules.claims, audience: 'rollkey' }
  for (const changes of [
    { jwks: jwksOf(other) },
    { claims: [{ name: 'sub', value: 'mine' }] },
    { audience: 'https://mine.example' },
  ]) {
    const who = await maintainer()
    expect(await update(who, changes)).toMatchObject({ status: 200 })
    const token = await outsideToken(
      'jwks' in changes ? other : key,
      'claims' in changes ? 'mine' : 'web',
      'audience' in changes ? changes.audience : 'rollkey',
    )
    expect(await outcomeOf(who, await propose(await exchanged(token)))).toBe(refused)
    // They stay an author after someone has changed it back.
    await scene.asOwner('trustUpdate', { id, ...former })
    const later = await propose(await exchanged(await outsideToken(key)))
    expect(await outcomeOf(who, later)).toBe(refused)
    expect(await outcomeOf(bob, later)).toBe('asked ok')
  }
})

/** Races between applying a change and what must stop it. On PostgreSQL, the requests go to two nodes. */
import { expect, test } from 'vitest'
import { codes, times } from '../../testkit/at-once.ts'
import { secret } from '../../testkit/entries.ts'
import { isLong } from '../../testkit/long.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { prod } from '../access/scene.ts'
import { open, valueOf, type Colleague } from './colleagues.ts'

const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_IP: '0' })
const rounds = isLong ? 100 : 8

/** Opens an organization whose stage prod requires one approval, and a function that proposes a change which Bob approves. */
async function approving() {
  const found = await open(testEnv)
  const { scene, ada, bob, person } = found
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1 })
  const approved = async (value: string): Promise<{ id: string; digest: string }> => {
    const { id, digest } = await ada.propose({ entries: [secret('A', value)] })
    await bob.must('changeReview', { id, digest, verdict: 'approve' })
    return { id, digest }
  }
  return { ...found, carl: await person('developer'), approved }
}

/** Returns the code of an answer. A store that is busy is asked again, as clients do. */
async function codeOf(who: Colleague, name: Parameters<Colleague['codeOf']>[0], input: object): Promise<string> {
  for (;;) {
    const code = await who.codeOf(name, input)
    if (code !== 'SERVICE_UNAVAILABLE' && code !== 'BILLING_UNAVAILABLE') return code
  }
}

test('a change is applied once by 32 requests at once', async () => {
  const { ada, approved } = await approving()
  const { id } = await approved('once')
  const token = await ada.scene.tokenOf(ada.user)
  const answers = await times(32, () => ada.scene.call('changeApply', { ...prod, id }, token))
  // On a busy machine, some wait too long for one of the connections to the database.
  const { CHANGE_CONFLICT: refused = 0, SERVICE_UNAVAILABLE: late = 0, ...others } = codes(answers)
  expect([others, refused + late]).toEqual([{ ok: 1 }, 31])
  expect((await ada.must('list')).revision).toBe(2)
})

test('an edit and an application at once: what is applied is what was approved', async () => {
  const { ada, carl, approved } = await approving()
  for (let round = 0; round < rounds; round++) {
    const { id } = await approved(`approved ${round}`)
    const before = await valueOf(ada, 'A')
    const [edited, applied] = await Promise.all([
      codeOf(ada, 'changeEdit', { id, entries: [secret('A', `edited ${round}`)] }),
      codeOf(carl, 'changeApply', { id }),
    ])
    expect([edited, applied].filter((code) => code === 'ok')).toHaveLength(1)
    expect(await valueOf(ada, 'A')).toBe(applied === 'ok' ? `approved ${round}` : before)
    expect(['ok', 'APPROVAL_REQUIRED', 'CHANGE_CONFLICT']).toContain(applied)
  }
})

test('a rejection, a withdrawal or the end of a role at once: no application is recorded after it', async () => {
  const { scene, ada, bob, carl, approved } = await approving()
  const principal = { kind: 'user', id: bob.user.userId }
  const endings = [
    (id: string, digest: string) => codeOf(bob, 'changeReview', { id, digest, verdict: 'reject' }),
    (id: string) => codeOf(ada, 'changeWithdraw', { id }),
    async () => {
      await scene.asOwner('accessRevoke', { ...prod, principal })
      return 'ok'
    },
  ]
  for (let round = 0; round < rounds * endings.length; round++) {
    await scene.asOwner('accessGrant', { ...prod, principal, role: 'releaser' })
    const { id, digest } = await approved(`value ${round}`)
    const end = endings[round % endings.length] as (typeof endings)[number]
    const [ended, applied] = await Promise.all([end(id, digest), codeOf(carl, 'changeApply', { id })])
    const { entries } = await scene.asOwner('audit', { ...prod, limit: 20 })
    const seqOf = (actions: readonly string[]): number =>
      entries.find((entry: { action: string }) => actions.includes(entry.action))?.seq ?? 0
    const [endedAt, appliedAt] = [seqOf(['change.reject', 'change.withdraw', 'access.revoke']), seqOf(['change.apply'])]
    expect([round, ended, applied, ended !== 'ok' || applied !== 'ok' || appliedAt < endedAt]).toEqual([
      round,
      ended,
      applied,
      true,
    ])
  }
})

/** Tests what a protected stage requires of changes (docs/change.md). */
import { expect, test } from 'vitest'
import { roll, secret } from '../../testkit/entries.ts'
import { newServiceToken, useTestEnv } from '../../testkit/test-env.ts'
import { dev, prod } from '../access/scene.ts'
import { Colleague, open, valueOf } from './colleagues.ts'

const testEnv = useTestEnv()

/** Opens an organization whose stage prod requires one approval, and what `rules` says. */
async function protectedStage(rules: object = {}) {
  const found = await open(testEnv)
  await found.scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1, ...rules })
  return { ...found, carl: await found.person('releaser') }
}

const hourMs = 3_600_000

/** A freeze from an hour ago until in an hour, to the minute. */
function freezeNow() {
  const minute = (ms: number): string => new Date(ms).toISOString().slice(0, 16)
  const nowMs = testEnv.clock.now()
  return { zone: 'UTC', from: minute(nowMs - hourMs), to: minute(nowMs + hourMs) }
}

const place = { projectSlug: undefined, stageSlug: undefined }
const writes = {
  write: { mode: 'upsert', entries: [secret('A', 'direct')] },
  'a delete': { mode: 'upsert', deletes: ['A'] },
  update: { updates: [{ name: 'R', chance: 0.5 }] },
  'an update of pins': { updates: [{ name: 'R', pin: { a: ['user-1'] } }] },
  'an update of a description': { updates: [{ name: 'A', description: 'direct' }] },
  copy: { ...place, from: dev, to: prod, names: ['A'] },
  restore: { revision: 1 },
}

function endpointOf(what: keyof typeof writes) {
  if (what === 'a delete') return 'write'
  return what === 'an update of pins' || what === 'an update of a description' ? 'update' : what
}

test('a stage that requires approval takes no direct write, of people or machines', async () => {
  const { scene, ada, bob } = await protectedStage()
  await scene.grant(ada.user, 'developer', dev)
  await scene.grant(scene.owner.user, 'maintainer', prod)
  const { token } = await scene.asOwner('tokenCreate', { name: 'ci', history: true, ...prod })
  for (const [what, input] of Object.entries(writes)) {
    const name = endpointOf(what as keyof typeof writes)
    expect([what, await ada.codeOf(name, input)]).toEqual([what, 'APPROVAL_REQUIRED'])
    // The token has no access to the source of a copy.
    const code = name === 'copy' ? 'FORBIDDEN' : 'APPROVAL_REQUIRED'
    expect([what, await scene.codeOf(name, { ...prod, ...input }, token)]).toEqual([what, code])
  }
  expect((await bob.must('list')).revision).toBe(1)
  const { body } = await ada.call('write', writes.write)
  expect(body.error.message).toBe(
    'Changes of the stage prod of the project shop need an approval: propose the change, and ask someone with "approve" there to review it.',
  )
  // Others are as before.
  expect(await ada.codeOf('write', { ...dev, ...writes.write })).toBe('ok')
  const machine = await scene.call('changePropose', { ...prod, reason: 'CI', entries: [secret('A', 'ci')] }, token)
  expect(machine.body).toMatchObject({ approvals: { required: 1, approvers: [], isApproved: false }, needsYou: false })
  expect(await scene.codeOf('changeApply', { ...prod, id: machine.body.id }, token)).toBe('APPROVAL_REQUIRED')
  expect(
    await scene.codeOf('changeReview', { ...prod, id: machine.body.id, digest: 'x', verdict: 'approve' }, token),
  ).toBe('FORBIDDEN')
})

test('everyone who sees a stage learns that too few people may approve there, and not who', async () => {
  const { scene, ada, bob, carl, person } = await protectedStage({ approvals: 2 })
  const reader = await person('reader')
  const owner = new Colleague(scene, scene.owner.user)
  const inList = async (who: Colleague) => {
    const { projects } = await who.must('projects')
    const stages = projects.find(({ projectSlug }: { projectSlug: string }) => projectSlug === 'shop').stages
    return stages.find(({ stageSlug }: { stageSlug: string }) => stageSlug === 'prod').lacksApprovers
  }
  const { id } = await ada.propose({ entries: [secret('A', 'one')] })
  const inChange = async (who: Colleague) => (await who.must('changeShow', { id })).lacksApprovers
  const everywhere = async () => ({
    list: await Promise.all([ada, bob, owner, reader].map(inList)),
    change: await Promise.all([ada, bob, owner, reader].map(inChange)),
  })
  const none = undefined
  // Bob and Carl may approve what Ada proposes. Bob may not approve his own.
  expect(await everywhere()).toEqual({ list: [none, true, none, none], change: [none, none, none, none] })
  await scene.asOwner('accessRevoke', { ...prod, principal: { kind: 'user', id: carl.user.userId } })
  expect(await everywhere()).toEqual({ list: [true, true, true, true], change: [true, true, true, true] })
  // A group counts with its members.
  const { id: groupId } = await scene.asOwner('groupCreate', { name: 'On call' })
  await scene.asOwner('accessGrant', { ...prod, principal: { kind: 'group', id: groupId }, role: 'releaser' })
  await scene.asOwner('groupMembers', { id: groupId, add: [{ kind: 'user', id: carl.user.userId }] })
  expect((await everywhere()).change).toEqual([none, none, none, none])
})

test('an approval is of exactly the content: an edit, a rebase and another time void it', async () => {
  const { ada, bob, carl } = await protectedStage()
  const proposed = await ada.propose({ entries: [secret('A', 'one')] })
  const { id } = proposed
  expect(await bob.must('changeShow', { id })).toMatchObject({ needsYou: true })
  expect(await ada.must('changeShow', { id })).toMatchObject({ needsYou: false })
  const approve = (who: Colleague, digest: string) => who.must('changeReview', { id, digest, verdict: 'approve' })
  const approved = await approve(bob, proposed.digest)
  expect(approved).toMatchObject({
    needsYou: false,
    approvals: { required: 1, approvers: [bob.user.userId], isApproved: true },
    reviews: [{ reviewer: bob.user.userId, verdict: 'approve', isCurrent: true, counts: true }],
  })
  for (const edit of [
    { entries: [secret('A', 'two')] },
    { entries: [{ ...secret('A', 'two'), description: 'An attribute' }] },
    { entries: [{ ...roll('P', 0.5), pins: { a: ['user-1'] } }] },
    { entries: [{ ...roll('P', 0.5), pins: { a: ['user-2'] } }] },
    { deletes: ['A'] },
    { reason: 'Another reason' },
  ]) {
    const before = await ada.must('changeShow', { id })
    await approve(bob, before.digest)
    const edited = await ada.must('changeEdit', { id, ...edit })
    expect(edited.approvals).toMatchObject({ approvers: [], isApproved: false })
    expect(edited.reviews.every((review: { isCurrent: boolean }) => !review.isCurrent)).toBe(true)
    expect(await bob.codeOf('changeReview', { id, digest: before.digest, verdict: 'approve' })).toBe('CHANGE_CONFLICT')
    expect(await carl.codeOf('changeApply', { id })).toBe('APPROVAL_REQUIRED')
  }
  const { digest } = await ada.must('changeEdit', { id, entries: [secret('A', 'three')] })
  await approve(bob, digest)
  const moved = await ada.must('changeReschedule', { id, applyAtMs: testEnv.clock.now() + hourMs })
  expect(moved.approvals.isApproved).toBe(false)
  const rebased = await ada.must('changeEdit', { id, rebase: true })
  await approve(bob, rebased.digest)
  expect(await carl.codeOf('changeApply', { id })).toBe('CHANGE_CONFLICT')
  await ada.must('changeReschedule', { id, applyAtMs: null })
  await approve(bob, (await ada.must('changeShow', { id })).digest)
  await ada.must('changeApply', { id })
  expect(await valueOf(ada, 'A')).toBe('three')
})

test('approvals are of distinct people who may approve when it is applied, and not of its proposer', async () => {
  const { scene, bob, carl, ada } = await protectedStage({ approvals: 2 })
  const dora = new Colleague(scene, scene.member())
  await scene.grant(dora.user, 'releaser', prod)
  const { id, digest } = await bob.propose({ entries: [secret('A', 'next')] })
  const review = (who: Colleague, verdict: string, more: object = {}) =>
    who.codeOf('changeReview', { id, digest, verdict, ...more })
  expect(await review(ada, 'approve')).toBe('FORBIDDEN')
  expect(await review(bob, 'approve')).toBe('ok')
  expect(await review(carl, 'approve')).toBe('ok')
  expect(await review(carl, 'approve', { comment: 'Again' })).toBe('ok')
  const { body } = await ada.call('changeApply', { id })
  expect(body.error).toMatchObject({
    code: 'APPROVAL_REQUIRED',
    message: expect.stringContaining('has 1 of the 2 approvals'),
  })
  expect(await review(dora, 'reject', { comment: 'Not on a Friday' })).toBe('ok')
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1 })
  expect((await ada.call('changeApply', { id })).body.error.message).toMatch(/has rejected the change/)
  expect(await review(dora, 'approve')).toBe('ok')
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 2 })
  await scene.revoke(carl.user, prod)
  expect(await ada.codeOf('changeApply', { id })).toBe('APPROVAL_REQUIRED')
  await scene.grant(carl.user, 'developer', prod)
  expect(await ada.codeOf('changeApply', { id })).toBe('APPROVAL_REQUIRED')
  await scene.grant(carl.user, 'releaser', prod, { expiresAtMs: testEnv.clock.now() + 1_000 })
  expect(await ada.must('changeShow', { id })).toMatchObject({ approvals: { isApproved: true } })
  testEnv.clock.advance(1_000)
  expect(await ada.codeOf('changeApply', { id })).toBe('APPROVAL_REQUIRED')
  await scene.grant(carl.user, 'releaser', prod)
  expect(await ada.codeOf('changeApply', { id })).toBe('ok')
  const { entries } = await scene.asOwner('audit', { action: 'change.apply' })
  expect(entries).toHaveLength(1)
  const facts = { changeId: id, proposedBy: bob.user.userId }
  expect(entries[0]).toMatchObject({ actor: ada.user.userId, revision: 2, facts })
  expect(entries[0].facts.approvedBy.toSorted()).toEqual([carl.user.userId, dora.user.userId].toSorted())
})

test('the creator of a service token does not approve what it proposes, and self-approval can be allowed', async () => {
  const { scene } = await protectedStage()
  const { user } = scene.owner
  await scene.grant(user, 'maintainer', prod)
  const owner = new Colleague(scene, user)
  const { token } = await newServiceToken(testEnv, { ...scene.owner, token: await scene.tokenOf(user, true) }, prod)
  const proposed = await scene.call('changePropose', { ...prod, reason: 'CI', entries: [secret('A', 'ci')] }, token)
  const { id, digest } = proposed.body
  await owner.must('changeReview', { id, digest, verdict: 'approve' })
  expect(await owner.codeOf('changeApply', { id })).toBe('APPROVAL_REQUIRED')
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, selfApproval: true })
  expect(await scene.codeOf('changeApply', { ...prod, id }, token)).toBe('ok')
  expect(await valueOf(owner, 'A')).toBe('ci')
})

test('only people with the verbs of the role may bypass, and the audit log has the reason', async () => {
  const { scene, ada, bob } = await protectedStage()
  const { id } = await ada.propose({ entries: [secret('A', 'now')] })
  const bypass = (who: Colleague) => who.codeOf('changeApply', { id, bypass: 'The site is down' })
  expect(await bypass(bob)).toBe('FORBIDDEN')
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, bypassRole: 'releaser', freezes: [freezeNow()] })
  expect(await bypass(ada)).toBe('FORBIDDEN')
  expect(await bob.codeOf('changeApply', { id })).toBe('STAGE_FROZEN')
  expect(await bob.codeOf('changeApply', { id, bypass: ' ' })).toBe('INVALID_REQUEST')
  expect((await bob.must('changeShow', { id })).bypass).toBeUndefined()
  expect(await bypass(bob)).toBe('ok')
  expect(await ada.must('changeShow', { id })).toMatchObject({
    state: 'applied',
    settledBy: bob.user.userId,
    bypass: 'The site is down',
  })
  expect((await ada.must('changeList')).changes).toMatchObject([{ id, bypass: 'The site is down' }])
  const { entries } = await scene.asOwner('audit', { action: 'change.apply' })
  expect(entries[0]).toMatchObject({
    actor: bob.user.userId,
    facts: { changeId: id, proposedBy: ada.user.userId, approvedBy: [], bypassReason: 'The site is down' },
  })
  const no = { ...prod, isProtected: true, bypassRole: 'no-such-role' }
  expect(await scene.codeOf('stageProtect', no, await scene.tokenOf(scene.owner.user, true))).toBe('INVALID_REQUEST')
})

test('a roll is stopped without approval and in a freeze, by those who have the verb', async () => {
  const { scene, ada, bob } = await protectedStage({ freezes: [freezeNow()] })
  const stop = { name: 'R', chance: 0 }
  const clears = { ...stop, rules: null, pins: null }
  for (const updates of [
    [{ name: 'R', chance: 0.01 }],
    [{ ...stop, pins: null }],
    [{ ...stop, labels: null }],
    [{ ...stop, pin: { a: ['user-1'] } }],
    [{ ...stop, exposure: 'plain' }],
    [{ ...stop, description: 'stopped' }],
    [{ name: 'R', rules: null }],
    // All of them must stop a roll.
    [stop, { name: 'A', description: 'stopped' }],
  ])
    expect([updates, await ada.codeOf('update', { updates })]).toEqual([updates, 'STAGE_FROZEN'])
  // Another write is none, whatever else it says.
  const disguised = { mode: 'upsert', entries: [secret('A', 'direct')], updates: [stop] }
  expect(await ada.codeOf('write', disguised)).toBe('STAGE_FROZEN')
  expect(await ada.codeOf('update', { updates: [stop] })).toBe('ok')
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, stopVerb: 'approve' })
  expect(await ada.codeOf('update', { updates: [clears] })).toBe('STAGE_FROZEN')
  expect(await bob.codeOf('update', { updates: [clears] })).toBe('ok')
})

test('a freeze refuses every write until its end, which it names', async () => {
  const freeze = freezeNow()
  const { ada, bob, carl } = await protectedStage({ approvals: 0, freezes: [freeze] })
  const { id } = await ada.propose({ entries: [secret('A', 'later')] })
  const refused = [await ada.call('write', writes.write), await bob.call('changeApply', { id })]
  for (const { status, body } of refused) {
    expect(status).toBe(403)
    expect(body.error).toMatchObject({ code: 'STAGE_FROZEN', message: expect.stringContaining(`${freeze.to}:00.000Z`) })
  }
  expect(await carl.must('changeShow', { id })).toMatchObject({ frozenUntilMs: Date.parse(`${freeze.to}Z`) })
  testEnv.clock.advance(Date.parse(`${freeze.to}Z`) - testEnv.clock.now() - 5_000)
  expect(await ada.codeOf('write', writes.write)).toBe('STAGE_FROZEN')
  testEnv.clock.advance(5_000)
  expect(await ada.codeOf('changeApply', { id })).toBe('ok')
  expect(await ada.codeOf('write', writes.write)).toBe('ok')
})

test('a protection is changed with a fresh confirmation, listed, audited, and ends with everything that it requires', async () => {
  const { scene, ada } = await protectedStage()
  const token = await scene.tokenOf(scene.owner.user)
  const protect = (input: object, by = token) => scene.codeOf('stageProtect', { ...prod, ...input }, by)
  testEnv.clock.advance(hourMs)
  const stale = await scene.tokenOf(scene.owner.user)
  expect(await protect({ isProtected: true, approvals: 0 }, stale)).toBe('CONFIRMATION_REQUIRED')
  expect(await protect({ isProtected: true, approvals: 1 }, stale)).toBe('ok')
  for (const wrong of [
    { isProtected: false, approvals: 1 },
    { isProtected: true, approvals: 11 },
    { isProtected: true, approvals: -1 },
    { isProtected: true, stopVerb: 'read' },
    { isProtected: true, freezes: [{ zone: 'Berlin', from: 'fri 17:00', to: 'mon 08:00' }] },
  ])
    expect([wrong, await protect(wrong, stale)]).toEqual([wrong, 'INVALID_REQUEST'])
  const weekend = { zone: 'Europe/Berlin', from: 'fri 17:00', to: 'mon 08:00' }
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, freezes: [weekend], selfApproval: true })
  const stageOf = async () => {
    const { projects } = await scene.asOwner('projects')
    const shop = projects.find((each: { projectSlug: string }) => each.projectSlug === 'shop')
    return shop.stages.find((each: { stageSlug: string }) => each.stageSlug === 'prod')
  }
  expect((await stageOf()).protection).toEqual({
    approvals: 1,
    selfApproval: true,
    bypassRole: null,
    stopVerb: 'write',
    freezes: [weekend],
  })
  await scene.asOwner('stageProtect', { ...prod, isProtected: false })
  expect((await stageOf()).protection).toBeUndefined()
  expect(await ada.codeOf('write', writes.write)).toBe('ok')
  const { entries } = await scene.asOwner('audit', { action: 'stage.rules' })
  expect(entries).toHaveLength(3)
  expect(entries[1].facts.before.protection).toMatchObject({ approvals: 1, selfApproval: false })
})

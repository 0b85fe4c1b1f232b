/** Tests proposed changes over HTTP (docs/change.md). */
import { expect, test } from 'vitest'
import { roll, secret } from '../../testkit/entries.ts'
import { query } from '../../testkit/store.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { dev, prod } from '../access/scene.ts'
import { Colleague, open, valueOf } from './colleagues.ts'

const testEnv = useTestEnv()

test('a proposal is written when it is applied, with everything that a write can say', async () => {
  const { ada, bob } = await open(testEnv)
  const proposed = await ada.propose({
    entries: [
      { ...secret('A', 'next'), description: 'What it is for' },
      { ...roll('NEW', 0.25), pins: { a: ['user-1'] }, labels: { a: 'on', b: 'off' } },
    ],
    deletes: ['CANARY_OF_SHOP_PROD', 'NOT_THERE'],
    updates: [{ name: 'R', chance: 0.5 }],
  })
  expect(proposed).toMatchObject({
    id: expect.stringMatching(/^chg_/),
    ...prod,
    state: 'open',
    reason: 'Because',
    names: ['A', 'CANARY_OF_SHOP_PROD', 'NEW', 'R'],
    baseRevision: 1,
    revision: 1,
    approvals: { required: 0, isApproved: true },
    items: [
      {
        name: 'A',
        action: 'update',
        after: { kind: 'secret', description: 'What it is for' },
        before: { kind: 'secret' },
      },
      { name: 'CANARY_OF_SHOP_PROD', action: 'delete', before: { kind: 'secret' } },
      { name: 'NEW', action: 'create', after: { kind: 'ab_roll', chance: 0.25, pinned: { a: 1, b: 0 } } },
      { name: 'R', action: 'chance', chance: 0.5, before: { chance: 1 } },
    ],
  })
  expect(proposed.items[0].after.digests.value).not.toBe(proposed.items[0].before.digests.value)
  expect(await valueOf(bob, 'A')).toBe('value of CANARY_OF_SHOP_PROD')
  expect(await bob.must('changeApply', { id: proposed.id })).toMatchObject({
    created: ['NEW'],
    updated: ['A', 'R'],
    deleted: ['CANARY_OF_SHOP_PROD'],
    revision: 2,
  })
  expect(await valueOf(bob, 'A')).toBe('next')
  expect(await bob.must('evaluate', { name: 'NEW', seed: 'user-1' })).toMatchObject({ decision: 'a' })
  const { variables } = await bob.must('digests')
  const digests = Object.fromEntries(
    variables.map((each: { name: string; digests: object }) => [each.name, each.digests]),
  )
  expect(digests['A']).toEqual(proposed.items[0].after.digests)
  expect(digests['NEW']).toEqual(proposed.items[2].after.digests)
  expect(await bob.must('changeShow', { id: proposed.id })).toMatchObject({
    state: 'applied',
    appliedRevision: 2,
    settledBy: bob.user.userId,
    revision: 2,
  })
  for (const name of ['changeApply', 'changeWithdraw'] as const)
    expect(await bob.codeOf(name, { id: proposed.id })).toBe('CHANGE_CONFLICT')
  expect(await ada.codeOf('changeEdit', { id: proposed.id, reason: 'Again' })).toBe('CHANGE_CONFLICT')
})

test('a proposal changes rules, pins, labels and attributes without the values', async () => {
  const { ada, bob } = await open(testEnv)
  const rules = [{ when: { plan: { in: ['pro'] } }, then: 'a' }]
  const updates = [
    { name: 'R', rules, pins: { b: ['user-1'] }, labels: { a: 'on', b: 'off' }, exposure: 'plain' },
    { name: 'A', description: 'What it is for' },
  ]
  const proposed = await ada.propose({ updates })
  const [secretItem, rollItem] = proposed.items
  expect(rollItem).toMatchObject({ action: 'update', after: { chance: 1, rules, pinned: { a: 0, b: 1 } } })
  expect(secretItem.after.digests).toEqual(secretItem.before.digests)
  await bob.must('changeApply', { id: proposed.id })
  expect(await valueOf(bob, 'A')).toBe('value of CANARY_OF_SHOP_PROD')
  expect(await bob.must('evaluate', { name: 'R', seed: 'user-1' })).toMatchObject({ decision: 'b' })
  expect(await ada.codeOf('changePropose', { reason: 'No roll', updates: [{ name: 'A', chance: 0 }] })).toBe(
    'INVALID_REQUEST',
  )
  expect(await ada.codeOf('changePropose', { reason: 'Nothing', updates: [{ name: 'A' }] })).toBe('INVALID_REQUEST')
})

test('what is copied or restored is what was there when it was proposed', async () => {
  const { scene, ada } = await open(testEnv)
  await scene.grant(ada.user, 'developer', dev)
  const copied = await ada.propose({ copy: { from: dev, names: ['A', 'CANARY_OF_SHOP_DEV'] } })
  expect(copied).toMatchObject({ source: { copy: dev }, names: ['A', 'CANARY_OF_SHOP_DEV'] })
  await ada.must('write', { ...dev, mode: 'upsert', entries: [secret('A', 'later')] })
  await ada.must('changeApply', { id: copied.id })
  expect(await valueOf(ada, 'A')).toBe('value of CANARY_OF_SHOP_DEV')
  const restored = await ada.propose({ restore: { revision: 1 } })
  expect(restored).toMatchObject({ source: { restore: 1 }, baseRevision: 2 })
  expect(await ada.must('changeApply', { id: restored.id })).toMatchObject({ deleted: ['CANARY_OF_SHOP_DEV'] })
  expect(await valueOf(ada, 'A')).toBe('value of CANARY_OF_SHOP_PROD')
  expect(await ada.codeOf('changePropose', { reason: 'None', restore: { revision: 3 } })).toBe('INVALID_REQUEST')
  expect(await ada.codeOf('changePropose', { reason: 'None', copy: { from: prod, names: ['A'] } })).toBe(
    'INVALID_REQUEST',
  )
})

test('a change conflicts only if a variable that it touches has changed since, and is rebased by its proposer', async () => {
  const { ada, bob } = await open(testEnv)
  const change = await ada.propose({ entries: [secret('A', 'mine')] })
  const other = await ada.propose({ entries: [secret('C', 'mine')] })
  const conflicts = async () => {
    const { changes } = await bob.must('changeList')
    return Object.fromEntries(changes.map((each: { id: string; conflictAt?: number }) => [each.id, each.conflictAt]))
  }
  await bob.must('write', { mode: 'upsert', entries: [secret('B', 'other')] })
  await bob.must('write', { mode: 'upsert', entries: [secret('A', 'theirs')] })
  expect(await ada.must('changeShow', { id: change.id })).toMatchObject({
    baseRevision: 1,
    revision: 3,
    conflictAt: 3,
    items: [{ name: 'A', changedAt: 3 }],
  })
  expect(await conflicts()).toEqual({ [change.id]: 3, [other.id]: undefined })
  const refused = await bob.call('changeApply', { id: change.id })
  expect(refused.body.error).toMatchObject({
    code: 'REVISION_CONFLICT',
    message: expect.stringMatching(
      /^"A" changed in revision 3, after the change was proposed \(revision 1\): base the change/,
    ),
  })
  expect(await bob.codeOf('changeEdit', { id: change.id, rebase: true })).toBe('FORBIDDEN')
  const rebased = await ada.must('changeEdit', { id: change.id, rebase: true })
  expect(rebased).toMatchObject({ baseRevision: 3, state: 'open' })
  expect(rebased.digest).not.toBe(change.digest)
  expect(await conflicts()).toEqual({ [change.id]: undefined, [other.id]: undefined })
  await ada.must('changeWithdraw', { id: other.id })
  await bob.must('write', { mode: 'upsert', entries: [secret('C', 'theirs')] })
  expect(await conflicts()).toEqual({ [change.id]: undefined, [other.id]: undefined })
  await bob.must('write', { mode: 'upsert', entries: [secret('B', 'again')] })
  expect(await bob.codeOf('changeApply', { id: change.id, digest: change.digest })).toBe('CHANGE_CONFLICT')
  expect(await bob.must('changeApply', { id: change.id, digest: rebased.digest })).toMatchObject({ revision: 6 })
  expect(await valueOf(ada, 'A')).toBe('mine')
})

test('a change is edited in part: its variables are left out or get other values, and the rest stays as it was', async () => {
  const { ada, bob } = await open(testEnv)
  const change = await ada.propose({
    entries: [secret('B', 'stays'), secret('C', 'goes'), secret('D', 'too high')],
    deletes: ['A'],
  })
  await bob.must('changeReview', { id: change.id, digest: change.digest, verdict: 'reject', comment: 'D is too high' })
  const edit = async (more: object) => ada.call('changeEdit', { id: change.id, ...more })
  const refusals = [
    await edit({ without: ['X'] }),
    await edit({ without: ['A', 'B', 'C', 'D'] }),
    await edit({ without: ['C'], entries: [secret('D', 'lower')] }),
    await edit({ without: [] }),
  ]
  expect(refusals.map(({ body }) => body.error?.message ?? 'ok')).toEqual([
    'The change proposes nothing for "X".',
    'The change would change nothing: state what the stage does not have yet, or withdraw it.',
    'The change names "D" more than once: name each variable in one of its parts only.',
    expect.stringContaining('without'),
  ])
  const { body: edited } = await edit({ without: ['C', 'D'], entries: [secret('D', 'lower'), secret('E', 'new')] })
  expect(edited).toMatchObject({
    names: ['A', 'B', 'D', 'E'],
    approvals: { rejectors: [] },
    reviews: [{ isCurrent: false }],
  })
  expect(edited.digest).not.toBe(change.digest)
  expect(await bob.must('changeApply', { id: change.id, digest: edited.digest })).toMatchObject({ revision: 2 })
  const origin = {
    changeId: change.id,
    reason: 'Because',
    proposedBy: ada.user.userId,
    proposedWith: change.proposedWith,
  }
  const originOf = (of: Record<string, unknown>) => Object.keys(origin).map((field) => of[field])
  const { changes: ofHistory } = await ada.must('history')
  const { revisions: recent } = await ada.must('recentHistory')
  for (const each of [...ofHistory, ...recent]) {
    expect(originOf(each)).toEqual(each.revision === 2 ? Object.values(origin) : originOf({}))
  }
  expect(recent.map(({ revision }: { revision: number }) => revision)).toContain(2)
  expect(ofHistory.map(({ revision }: { revision: number }) => revision)).toContain(2)
  expect(await bob.codeOf('evaluate', { name: 'A' })).toBe('VARIABLE_NOT_FOUND')
  expect(await Promise.all(['B', 'D', 'E'].map((name) => valueOf(bob, name)))).toEqual(['stays', 'lower', 'new'])
  expect(await bob.codeOf('evaluate', { name: 'C' })).toBe('VARIABLE_NOT_FOUND')
  const steps = [0.5, 1].map((chance, at) => ({ atMs: testEnv.clock.now() + (at + 1) * 60_000, chance }))
  const ramp = await ada.propose({ ramp: { name: 'R', steps } })
  expect(await ada.codeOf('changeEdit', { id: ramp.id, without: ['R'] })).toBe('INVALID_REQUEST')
})

test('a change is scheduled, listed page by page, and withdrawn', async () => {
  const { scene, ada, bob } = await open(testEnv)
  const applyAtMs = testEnv.clock.now() + 60_000
  const later = await ada.propose({ entries: [secret('A', 'a')], applyAtMs, zone: 'Europe/Berlin' })
  testEnv.clock.advance(1)
  const steps = [1, 2].map((n) => ({ atMs: applyAtMs + n, chance: n / 2 }))
  const ramp = await ada.propose({ ramp: { name: 'R', steps } })
  expect(ramp).toMatchObject({ applyAtMs: applyAtMs + 1, steps, items: [{ name: 'R', action: 'chance', chance: 1 }] })
  const moved = await ada.must('changeReschedule', { id: later.id, applyAtMs: null, zone: null })
  expect(moved.applyAtMs ?? moved.zone).toBeUndefined()
  expect(moved.digest).not.toBe(later.digest)
  expect(await ada.codeOf('changeReschedule', { id: ramp.id, applyAtMs })).toBe('INVALID_REQUEST')
  expect(await ada.codeOf('changeReschedule', { id: later.id, steps })).toBe('INVALID_REQUEST')
  expect(await bob.codeOf('changeReschedule', { id: later.id, applyAtMs })).toBe('FORBIDDEN')
  const list = async (input: object = {}) => {
    const { changes, more } = await bob.must('changeList', { projectSlug: undefined, stageSlug: undefined, ...input })
    return [changes.map(({ id }: { id: string }) => id), more]
  }
  expect(await list()).toEqual([[ramp.id, later.id], false])
  expect(await list({ limit: 1 })).toEqual([[ramp.id], true])
  expect(await list({ limit: 1, before: ramp.id })).toEqual([[later.id], false])
  await bob.must('changeWithdraw', { id: ramp.id })
  expect(await list({ states: ['open'] })).toEqual([[later.id], false])
  const outsider = new Colleague(scene, scene.member())
  await scene.setDefaultRole('none')
  expect((await outsider.must('changeList', { projectSlug: undefined, stageSlug: undefined })).changes).toEqual([])
  expect(await outsider.codeOf('changeShow', { id: later.id })).toBe('NOT_FOUND')
})

test('proposed values show only to people who may read, and leave the store when the change settles', async () => {
  const { scene, ada, bob, person } = await open(testEnv)
  await scene.protect(prod)
  const viewer = await person('viewer')
  const canary = 'CANARY of a proposal'
  const { id } = await ada.propose({ entries: [secret('A', canary), { ...roll('S', 0.5), pins: { b: [canary] } }] })
  const shown = await viewer.call('changeShow', { id })
  expect([shown.status, shown.text.includes(canary)]).toEqual([200, false])
  expect(await viewer.codeOf('changeReveal', { id, names: ['A'] })).toBe('FORBIDDEN')
  const { variables } = await bob.must('changeReveal', { id, names: ['A', 'S'] })
  expect(variables).toMatchObject([
    { name: 'A', kind: 'secret', value: canary },
    { name: 'S', kind: 'ab_roll', chance: 0.5, pins: { b: [canary] } },
  ])
  const { entries } = await scene.asOwner('audit', { action: 'reveal' })
  expect(entries).toMatchObject([{ actor: bob.user.userId, names: ['A', 'S'], facts: { changeId: id } }])
  expect(await bob.codeOf('changeReveal', { id, names: ['R'] })).toBe('VARIABLE_NOT_FOUND')
  await bob.must('changeWithdraw', { id })
  expect(await bob.codeOf('changeReveal', { id, names: ['A'] })).toBe('VARIABLE_NOT_FOUND')
})

/** Returns the values that a person sees of a proposal without a reveal, by name. */
async function plainOf(who: Colleague, id: string): Promise<unknown> {
  const { items } = await who.must('changeShow', { id })
  return Object.fromEntries(
    items.flatMap(({ name, plain }: { name: string; plain?: object }) => (plain ? [[name, plain]] : [])),
  )
}

const plain = (entry: object, exposure = 'plain') => ({ ...entry, exposure })

test('proposed values that are not secret show to people who may read, until the change settles', async () => {
  const { scene, ada, bob, person } = await open(testEnv)
  await scene.protect(prod)
  const viewer = await person('viewer')
  await bob.must('write', { mode: 'upsert', entries: [plain(secret('SIZE', '20'))] })
  const proposed = await ada.propose({
    entries: [
      plain(secret('SIZE', '40')),
      plain(secret('NEW', 'canary'), 'client'),
      secret('A', 'secret'),
      { ...plain(roll('R', 0.5, 'on', 'off')), pins: { a: ['user-1'] } },
      plain(secret('LONG', 'x'.repeat(65_000))),
      ...[1, 2, 3, 4].map((number) => plain(secret(`LONGER_${number}`, 'x'.repeat(65_000)))),
    ],
  })
  const { id } = proposed
  const shown = {
    SIZE: { value: '40' },
    NEW: { value: 'canary' },
    R: { valueA: 'on', valueB: 'off' },
    LONG: { value: 'x'.repeat(65_000) },
  }
  expect(await plainOf(bob, id)).toMatchObject(shown)
  expect(Object.keys((await plainOf(bob, id)) as object)).not.toContain('A')
  // What does not fit in the answer is revealed.
  expect(Object.keys((await plainOf(bob, id)) as object)).not.toContain('LONGER_4')
  expect(await plainOf(viewer, id)).toEqual({})
  const { entries } = await scene.asOwner('audit', { action: 'reveal' })
  expect(entries).toEqual([])
  const { changes } = await bob.must('changeList')
  expect(JSON.stringify([proposed, changes])).not.toContain('canary')
  await scene.grant(scene.owner.user, 'maintainer', prod)
  const { token } = await scene.asOwner('tokenCreate', { name: 'ci', ...prod })
  const machine = await scene.call('changeShow', { ...prod, id }, token)
  expect([machine.status, machine.text.includes('canary')]).toEqual([200, false])
  await bob.must('changeWithdraw', { id })
  expect(await plainOf(bob, id)).toEqual({})
})

test('proposed values of a protected stage show only after a confirmation, as its own do', async () => {
  const { scene, ada, bob } = await open(testEnv)
  await scene.protect(prod)
  const { id } = await ada.propose({ entries: [plain(secret('NEW', 'canary'))] })
  testEnv.clock.advance(3_600_000)
  const token = await scene.tokenOf(bob.user)
  expect(await scene.codeOf('plain', prod, token)).toBe('CONFIRMATION_REQUIRED')
  const { status, text } = await scene.call('changeShow', { ...prod, id }, token)
  expect([status, text.includes('canary')]).toEqual([200, false])
  expect(await plainOf(bob, id)).toEqual({ NEW: { value: 'canary' } })
  await scene.protect(prod, false)
  expect((await scene.call('changeShow', { ...prod, id }, token)).text).toContain('canary')
})

test('a proposed value that does not open, or is not what was proposed, is left out', async () => {
  const { ada, bob } = await open(testEnv)
  const entries = ['WELL', 'BAD'].map((name) => plain(secret(name, 'v')))
  const { id } = await ada.propose({ entries })
  const other = await ada.propose({ entries: [plain(secret('KEPT', 'kept'))] })
  await query(
    testEnv.app.dataDir,
    `update change_values set sealed = (select w.sealed from change_values w where w.name = 'WELL') where name = 'BAD'`,
  )
  await query(
    testEnv.app.dataDir,
    `update changes set content = replace(content, '"value":"', '"value":"x') where id = '${other.id}'`,
  )
  expect(await plainOf(bob, id)).toEqual({ WELL: { value: 'v' } })
  expect(await plainOf(bob, other.id)).toEqual({})
})

test('a proposal shows no value that is secret in the stage, or was when it was proposed or deleted', async () => {
  const { ada, bob } = await open(testEnv)
  const raised = await ada.propose({ updates: [{ name: 'A', exposure: 'plain' }] })
  const update = await ada.propose({ entries: [plain(secret('R2', 'two'))] })
  expect(await plainOf(bob, raised.id)).toEqual({})
  expect(await plainOf(bob, update.id)).toEqual({ R2: { value: 'two' } })
  // Neither does one that was secret show once another value is plain, also not after a rebase.
  const before = (await bob.must('list')).revision
  await bob.must('write', { mode: 'upsert', entries: [plain(secret('A', 'other')), secret('R2', 'one')] })
  await ada.must('changeEdit', { id: raised.id, rebase: true })
  expect(await plainOf(bob, raised.id)).toEqual({})
  expect(await plainOf(bob, update.id)).toEqual({})
  // A variable that was made secret before it was deleted stays hidden.
  await bob.must('write', { mode: 'upsert', entries: [plain(secret('GONE', 'old')), plain(secret('BACK', 'old'))] })
  await bob.must('update', { updates: [{ name: 'GONE', exposure: 'secret' }] })
  await bob.must('write', { mode: 'upsert', deletes: ['GONE', 'BACK'] })
  const restored = await ada.propose({ restore: { revision: before + 2, names: ['GONE', 'BACK'] } })
  expect(restored.items).toMatchObject([{ after: { exposure: 'plain' } }, { after: { exposure: 'plain' } }])
  expect(await plainOf(bob, restored.id)).toEqual({ BACK: { value: 'old' } })
  // It was there when it was proposed to raise it.
  await bob.must('update', { updates: [{ name: 'A', exposure: 'secret' }] })
  const again = await ada.propose({ updates: [{ name: 'A', exposure: 'client' }] })
  await bob.must('write', { mode: 'upsert', deletes: ['A'] })
  expect(await plainOf(bob, again.id)).toEqual({})
})

test('a deleted stage takes its changes with it', async () => {
  const { scene, ada, bob } = await open(testEnv)
  const { id } = await ada.propose({ entries: [secret('A', 'a')] })
  await scene.asOwner('stageDelete', { ...prod, confirm: prod.stageSlug })
  await scene.asOwner('stageCreate', prod)
  await scene.grant(bob.user, 'releaser', prod)
  expect(await bob.must('changeShow', { id })).toMatchObject({ state: 'withdrawn' })
  expect(await bob.codeOf('changeApply', { id })).toBe('CHANGE_CONFLICT')
})

test('no one keeps others from proposing: a person has 50 open proposals in a stage, and machines have 50 together', async () => {
  const { scene, ada, bob } = await open(testEnv)
  await scene.grant(scene.owner.user, 'maintainer', prod)
  const tokens = await Promise.all(
    ['one', 'other'].map(async (name) => (await scene.asOwner('tokenCreate', { name, ...prod })).token as string),
  )
  const input = { ...prod, reason: 'Because', entries: [secret('A', 'next')] }
  const propose = async (token: string): Promise<string> => scene.codeOf('changePropose', input, token)
  const ofAda = await scene.tokenOf(ada.user)
  const ofBob = await scene.tokenOf(bob.user)
  for (let count = 0; count < 25; count++) {
    const codes = [await propose(ofAda), await propose(ofAda), await propose(tokens[0]!), await propose(tokens[1]!)]
    expect(codes).toEqual(['ok', 'ok', 'ok', 'ok'])
  }
  const { body } = await scene.call('changePropose', input, ofAda)
  expect(body.error).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'You have proposed 50 changes of the stage that are not settled (the maximum): apply or withdraw some.',
  })
  expect([await propose(tokens[0]!), await propose(tokens[1]!)]).toEqual(['INVALID_REQUEST', 'INVALID_REQUEST'])
  expect(await propose(ofBob)).toBe('ok')
  const { changes } = await ada.must('changeList')
  const own = changes.find((each: { proposedBy: string }) => each.proposedBy === ada.user.userId)
  await ada.must('changeWithdraw', { id: own.id })
  expect(await propose(ofAda)).toBe('ok')
})

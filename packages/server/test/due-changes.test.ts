/** Changes that the service applies at their times, and ramps. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { EndpointName } from '@rollkey/contract'
import { roll, secret } from '../testkit/entries.ts'
import { newUser } from '../testkit/client.ts'
import { newOwner, useTestEnv, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_IP: '0' })
const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const reason = 'because'
const seedCount = 100_000
let tenant: TestTenant

beforeEach(async () => {
  testEnv.clock.run()
  tenant = await newOwner(testEnv)
  await put([roll('R', 0), secret('A', '1')])
})

/** A token of the provider, since the clock moves beyond the life of others. */
const tokenNow = () => testEnv.provider.tokenOf(tenant.user)
const call = async (name: EndpointName, more: object = {}) =>
  testEnv.client.call(name, { ...tenant.at, ...more }, { token: await tokenNow() })
const must = async (name: EndpointName, more: object = {}) =>
  testEnv.client.must(name, { ...tenant.at, ...more }, { token: await tokenNow() })
const put = (entries: object[], more: object = {}) => must('write', { mode: 'upsert', entries, ...more })
const propose = (content: object) => must('changePropose', { reason, ...content })
const show = (id: string) => must('changeShow', { id })
const stateOf = async (id: string) => (await show(id)).state as string
const chanceOf = async (name = 'R') => {
  const { variables } = await must('list')
  return variables.find((each: { name: string }) => each.name === name)?.chance as number | undefined
}
const auditOf = async (action: string) => {
  const { entries } = await testEnv.client.must(
    'audit',
    { orgSlug: tenant.at.orgSlug, action },
    { token: await tokenNow() },
  )
  return entries as { how: string; actor: string; facts: object; names: string[] }[]
}

/** Proposes a ramp whose first step is due in an hour, and the others a day after each other. */
async function proposeRamp(chances: readonly number[], more: object = {}): Promise<{ id: string; startMs: number }> {
  const startMs = testEnv.clock.now() + hourMs
  const steps = chances.map((chance, index) => ({ atMs: startMs + index * dayMs, chance }))
  const { id } = await propose({ ramp: { name: 'R', steps, ...more }, zone: 'UTC' })
  return { id, startMs }
}

/** Lets the next step of a ramp happen. */
async function stepTo(ms: number, chance: number): Promise<void> {
  testEnv.clock.advance(ms)
  await expect.poll(() => chanceOf()).toBe(chance)
}

/**
 * Waits until the service has looked at what is due now, and is done with it: it has applied a change of another tenant that is
 * due later, and then another one, since it works on the changes of a round at the same time.
 */
async function rounds(): Promise<void> {
  const { user, at } = await newOwner(testEnv)
  const token = await testEnv.provider.tokenOf(user)
  await testEnv.client.must('write', { ...at, mode: 'upsert', entries: [secret('A', '0')] }, { token })
  for (const value of ['1', '2']) {
    const content = { reason, entries: [secret('A', value)], applyAtMs: testEnv.clock.now() }
    const { id } = await testEnv.client.must('changePropose', { ...at, ...content }, { token })
    const isApplied = async () => (await testEnv.client.must('changeShow', { ...at, id }, { token })).state as string
    await expect.poll(isApplied).toBe('applied')
  }
}

describe('a change with a time', () => {
  test('is applied by the service when it comes', async () => {
    const { id } = await propose({ entries: [secret('A', '2')], applyAtMs: testEnv.clock.now() + hourMs })
    await rounds()
    expect(await show(id)).toMatchObject({ state: 'open', dueAtMs: expect.any(Number) })
    testEnv.clock.advance(hourMs)
    await expect.poll(() => stateOf(id)).toBe('applied')
    expect((await must('evaluate', { name: 'A' })).value).toBe('2')
    expect(await show(id)).not.toHaveProperty('settledBy')
    const [applied] = await auditOf('change.apply')
    expect(applied).toMatchObject({
      how: 'system',
      actor: tenant.user.userId,
      facts: { changeId: id, proposedBy: tenant.user.userId, approvedBy: [] },
    })
  })

  test('fails with the reason if it conflicts, and is applied once it is rebased', async () => {
    const { id } = await propose({ entries: [secret('A', '2')], applyAtMs: testEnv.clock.now() + hourMs })
    await put([secret('A', '3')])
    testEnv.clock.advance(hourMs)
    await expect.poll(() => stateOf(id)).toBe('failed')
    expect((await show(id)).problem).toContain('"A" changed in revision 2,')
    expect(await auditOf('change.fail')).toMatchObject([
      { how: 'system', client: 'schedule', facts: { changeId: id }, names: ['A'] },
    ])
    await must('changeEdit', { id, rebase: true })
    await expect.poll(() => stateOf(id)).toBe('applied')
    expect((await must('evaluate', { name: 'A' })).value).toBe('2')
    expect(await auditOf('change.edit')).toMatchObject([{ facts: { changeId: id, isRebase: true } }])
    expect(await auditOf('change.propose')).toMatchObject([{ facts: { changeId: id, isPlanned: true } }])
  })

  test('is not applied at the time from which it was moved, nor when the clock is set back', async () => {
    const { id } = await propose({ entries: [secret('A', '2')], applyAtMs: testEnv.clock.now() + hourMs })
    await must('changeReschedule', { id, applyAtMs: testEnv.clock.now() + 3 * hourMs })
    testEnv.clock.advance(2 * hourMs)
    await rounds()
    expect(await stateOf(id)).toBe('open')
    testEnv.clock.advance(hourMs)
    await expect.poll(() => stateOf(id)).toBe('applied')
    const { revision } = await must('list')
    testEnv.clock.advance(-3 * hourMs)
    await rounds()
    testEnv.clock.advance(3 * hourMs)
    await rounds()
    expect((await must('list')).revision).toBe(revision)
  })
})

describe('a ramp', () => {
  test('writes its chances at their times, and then is applied', async () => {
    const { id } = await proposeRamp([0.1, 0.5, 1])
    expect(await show(id)).toMatchObject({ state: 'open', stepsDone: 0 })
    await stepTo(hourMs, 0.1)
    const running = await show(id)
    expect(running).toMatchObject({ state: 'running', stepsDone: 1 })
    // Its own steps do not conflict with it.
    expect([running.conflictAt, running.items[0]?.changedAt]).toEqual([undefined, undefined])
    await stepTo(dayMs, 0.5)
    await stepTo(dayMs, 1)
    const settled = await show(id)
    expect(settled).toMatchObject({ state: 'applied', stepsDone: 3 })
    expect(settled).not.toHaveProperty('dueAtMs')
    expect((await must('list')).revision).toBe(4)
    expect((await auditOf('change.step')).map(({ facts }) => facts)).toEqual([
      { changeId: id, step: 3, steps: 3 },
      { changeId: id, step: 2, steps: 3 },
    ])
  })

  test('cannot be applied by hand', async () => {
    const { id } = await proposeRamp([0.1, 1])
    expect((await call('changeApply', { id })).body.error.code).toBe('CHANGE_CONFLICT')
    expect(await chanceOf()).toBe(0)
  })

  test('writes only the latest due step after an outage', async () => {
    const { id } = await proposeRamp([0.1, 0.2, 0.5, 1])
    await testEnv.app.stop()
    testEnv.clock.advance(hourMs + 2 * dayMs)
    await testEnv.restart()
    await expect.poll(() => chanceOf()).toBe(0.5)
    expect(await show(id)).toMatchObject({ state: 'running', stepsDone: 3 })
    expect((await must('list')).revision).toBe(2)
  })

  test('repeats no step when the clock is set back', async () => {
    await proposeRamp([0.1, 0.5, 1])
    await stepTo(hourMs, 0.1)
    await stepTo(dayMs, 0.5)
    testEnv.clock.advance(-2 * dayMs)
    await rounds()
    testEnv.clock.advance(2 * dayMs)
    await rounds()
    expect(await chanceOf()).toBe(0.5)
    expect((await must('list')).revision).toBe(3)
    await stepTo(dayMs, 1)
  })

  test('is paused by a change of the chance by hand, and not by one of the values', async () => {
    const { id } = await proposeRamp([0.1, 0.5, 1])
    await stepTo(hourMs, 0.1)
    await put([{ name: 'R', kind: 'ab_roll', valueA: 'new', valueB: 'B', chance: 0.1 }])
    expect(await stateOf(id)).toBe('running')
    await must('update', { updates: [{ name: 'R', chance: 0.3 }] })
    const paused = await show(id)
    expect(paused).toMatchObject({
      state: 'paused',
      problem: expect.stringContaining('Revision 4 changed the chance by hand'),
    })
    expect(await auditOf('change.pause')).toMatchObject([{ how: 'provider', facts: { changeId: id }, names: ['R'] }])
    testEnv.clock.advance(5 * dayMs)
    await rounds()
    expect(await chanceOf()).toBe(0.3)
  })

  test('is paused by another ramp of its roll, also by one that begins at the same chance', async () => {
    const { id } = await proposeRamp([0.5, 0.1])
    await stepTo(hourMs, 0.5)
    const other = await proposeRamp([0.5, 1])
    testEnv.clock.advance(hourMs)
    await expect.poll(() => stateOf(other.id)).toBe('running')
    expect(await show(id)).toMatchObject({ state: 'paused', problem: expect.stringContaining(`The ramp ${other.id} `) })
    await stepTo(dayMs, 1)
  })

  test.each([
    ['a write', () => put([roll('R', 0.4)])],
    ['a restore', () => must('restore', { revision: 1 })],
    ['a deletion', () => put([], { deletes: ['R'] })],
    ['another kind', () => put([secret('R', 'x')])],
  ])('is paused by %s that changes the chance', async (_, change) => {
    const { id } = await proposeRamp([0.1, 1])
    await stepTo(hourMs, 0.1)
    await change()
    expect(await stateOf(id)).toBe('paused')
  })

  test('pauses from the next request on, and moves the steps that it missed by whole days', async () => {
    const { id, startMs } = await proposeRamp([0.1, 0.5, 1])
    await stepTo(hourMs, 0.1)
    expect((await must('changePause', { id })).state).toBe('paused')
    testEnv.clock.advance(2 * dayMs + hourMs)
    await rounds()
    expect(await chanceOf()).toBe(0.1)
    const resumed = await must('changeResume', { id })
    expect(resumed).toMatchObject({ state: 'running', dueAtMs: startMs + 3 * dayMs })
    expect(resumed.steps.map(({ atMs }: { atMs: number }) => atMs)).toEqual(
      [2, 3, 4].map((days) => startMs + days * dayMs),
    )
    await rounds()
    expect(await chanceOf()).toBe(0.1)
    await stepTo(dayMs - hourMs, 0.5)
    await stepTo(dayMs, 1)
    expect(await stateOf(id)).toBe('applied')
  })

  test('does not go on at an excluded day of the week', async () => {
    const startMs = testEnv.clock.now() + hourMs
    const steps = [0, 1].map((day) => ({ atMs: startMs + day * dayMs, chance: 0.5 + day / 2 }))
    const dayOf = (ms: number) => (['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const)[new Date(ms).getUTCDay()]
    // Missed by less than a day, so it would be at its next day.
    const notOn = [dayOf(startMs + 2 * dayMs)]
    const { id } = await propose({ ramp: { name: 'R', steps, notOn } })
    await stepTo(hourMs, 0.5)
    await must('changePause', { id })
    testEnv.clock.advance(dayMs + hourMs)
    const resumed = await must('changeResume', { id })
    expect(resumed).toMatchObject({ notOn, dueAtMs: startMs + 3 * dayMs })
  })

  test('keeps its times if a pause misses no step', async () => {
    const { id, startMs } = await proposeRamp([0.1, 1])
    await stepTo(hourMs, 0.1)
    await must('changePause', { id })
    expect((await must('changeResume', { id })).dueAtMs).toBe(startMs + dayMs)
  })

  test('leaves a step out, once for those who saw the same', async () => {
    const { id, startMs } = await proposeRamp([0.1, 0.5, 1])
    await stepTo(hourMs, 0.1)
    expect(await must('changeSkip', { id, stepsDone: 1 })).toMatchObject({ stepsDone: 2, dueAtMs: startMs + 2 * dayMs })
    expect((await call('changeSkip', { id, stepsDone: 1 })).body.error.code).toBe('CHANGE_CONFLICT')
    await stepTo(2 * dayMs, 1)
    expect(await stateOf(id)).toBe('applied')
    expect(await auditOf('change.skip')).toMatchObject([{ facts: { changeId: id, step: 2, steps: 3 } }])
  })

  test('ends when its last step is left out', async () => {
    const { id } = await proposeRamp([0.1, 1])
    await stepTo(hourMs, 0.1)
    expect((await must('changeSkip', { id })).state).toBe('applied')
    expect(await chanceOf()).toBe(0.1)
  })

  test('aborts to a chosen chance from the next request on', async () => {
    const { id } = await proposeRamp([0.1, 0.5, 1])
    await stepTo(hourMs, 0.1)
    expect(await must('changeAbort', { id, chance: 0.02 })).toMatchObject({ revision: 3 })
    expect(await chanceOf()).toBe(0.02)
    expect(await show(id)).toMatchObject({ state: 'aborted', settledBy: tenant.user.userId, appliedRevision: 3 })
    testEnv.clock.advance(3 * dayMs)
    await rounds()
    expect(await chanceOf()).toBe(0.02)
    for (const name of ['changePause', 'changeResume', 'changeSkip'] as const)
      expect((await call(name, { id })).body.error.code).toBe('CHANGE_CONFLICT')
    expect((await call('changeAbort', { id, chance: 0 })).body.error.code).toBe('CHANGE_CONFLICT')
  })

  test(`lets none of ${seedCount} seeds fall out of A while its chances rise`, async () => {
    const seeds = Array.from({ length: seedCount }, (_, index) => `user-${index}`)
    /** Returns the seeds that get A. */
    const inA = async (): Promise<Set<string>> => {
      const found = new Set<string>()
      for (let from = 0; from < seeds.length; from += 1_000) {
        const some = seeds.slice(from, from + 1_000)
        const { results } = await must('evaluateBatch', { entries: some.map((seed) => ({ name: 'R', seed })) })
        for (const [index, { value }] of results.entries()) if (value === 'A') found.add(some[index] as string)
      }
      return found
    }
    const chances = [0.01, 0.1, 0.5, 1]
    await proposeRamp(chances)
    let before = new Set<string>()
    for (const [index, chance] of chances.entries()) {
      await stepTo(index === 0 ? hourMs : dayMs, chance)
      const now = await inA()
      expect([...before].filter((seed) => !now.has(seed))).toEqual([])
      // 6.5 standard deviations: the four steps together exceed them by chance once in 3 * 10^9 runs.
      expect(Math.abs(now.size - chance * seedCount)).toBeLessThanOrEqual(
        6.5 * Math.sqrt(seedCount * chance * (1 - chance)),
      )
      before = now
    }
  })

  test('fails with its reason if the roll was deleted before it began', async () => {
    const { id } = await proposeRamp([0.1, 1])
    await put([], { deletes: ['R'] })
    testEnv.clock.advance(hourMs)
    await expect.poll(() => stateOf(id)).toBe('failed')
  })
})

describe('a protected stage', () => {
  const approver = newUser('approver')

  /** Protects the stage, and lets two people write and approve there. */
  async function protect(rules: object): Promise<void> {
    const at = tenant.at
    const owner = { token: await testEnv.provider.confirmedTokenOf(tenant.user) }
    for (const { userId: id } of [tenant.user, approver]) {
      const principal = { kind: 'user', id }
      await testEnv.client.must('accessGrant', { ...at, principal, role: 'maintainer' }, owner)
    }
    await testEnv.client.must('stageProtect', { ...at, isProtected: true, ...rules }, owner)
  }

  async function approve(id: string): Promise<void> {
    const person = { ...approver, orgSlug: tenant.user.orgSlug, orgId: tenant.user.orgId }
    const token = await testEnv.provider.tokenOf(person)
    const { digest } = await show(id)
    await testEnv.client.must('changeReview', { ...tenant.at, id, digest, verdict: 'approve' }, { token })
  }

  /** Returns a freeze that begins in half an hour and ends after these hours. */
  function freezeFor(hours: number): object {
    const minuteOf = (ms: number) => new Date(ms).toISOString().slice(0, 16)
    const nowMs = testEnv.clock.now()
    return { zone: 'UTC', from: minuteOf(nowMs + hourMs / 2), to: minuteOf(nowMs + hours * hourMs) }
  }

  test('holds what is due in a freeze until its end', async () => {
    await protect({ freezes: [freezeFor(5)] })
    const { id } = await propose({ entries: [secret('A', '2')], applyAtMs: testEnv.clock.now() + hourMs })
    testEnv.clock.advance(hourMs)
    await rounds()
    const held = await show(id)
    expect(held).toMatchObject({ state: 'open', dueAtMs: held.frozenUntilMs })
    testEnv.clock.advance(4 * hourMs)
    await expect.poll(() => stateOf(id)).toBe('applied')
  })

  test('writes only the latest of the steps that a freeze held, and lets a ramp be aborted in it', async () => {
    await protect({ freezes: [freezeFor(60)] })
    const { id } = await proposeRamp([0.1, 0.2, 0.3, 1])
    testEnv.clock.advance(26 * hourMs)
    await rounds()
    expect(await chanceOf()).toBe(0)
    await stepTo(34 * hourMs, 0.3)
    expect(await show(id)).toMatchObject({ state: 'running', stepsDone: 3 })
    await protect({ freezes: [freezeFor(60)] })
    testEnv.clock.advance(hourMs)
    expect((await call('changeAbort', { id, chance: 0.4 })).body.error.code).toBe('STAGE_FROZEN')
    await must('changeAbort', { id, chance: 0 })
    expect(await chanceOf()).toBe(0)
  })

  test('applies only what is approved at its time, and raises no chance by an abort', async () => {
    await protect({ approvals: 1 })
    const { id: unapproved } = await propose({ entries: [secret('A', '2')], applyAtMs: testEnv.clock.now() + hourMs })
    const { id } = await proposeRamp([0.1, 1])
    await approve(id)
    await stepTo(hourMs, 0.1)
    await expect.poll(() => stateOf(unapproved)).toBe('failed')
    expect((await show(unapproved)).problem).toContain('0 of the 1 approvals')
    const [applied] = await auditOf('change.apply')
    const by = { proposedBy: tenant.user.userId, approvedBy: [approver.userId] }
    expect(applied?.facts).toEqual({ changeId: id, ...by })
    expect((await call('changeAbort', { id, chance: 0.2 })).body.error.code).toBe('APPROVAL_REQUIRED')
    await must('changeAbort', { id, chance: 0.1 })
  })

  test('does not start a ramp whose approver lost the right', async () => {
    await protect({ approvals: 1 })
    const { id } = await proposeRamp([0.1, 1])
    await approve(id)
    const owner = { token: await testEnv.provider.confirmedTokenOf(tenant.user) }
    const principal = { kind: 'user', id: approver.userId }
    await testEnv.client.must('accessRevoke', { ...tenant.at, principal }, owner)
    testEnv.clock.advance(hourMs)
    await expect.poll(() => stateOf(id)).toBe('failed')
    expect(await chanceOf()).toBe(0)
  })
})

describe('the guard of a ramp', () => {
  /** Serves one seed five hundred times, which is always the same side, from the next whole hour on. */
  async function serveOneSide(): Promise<void> {
    testEnv.clock.advance(hourMs)
    const entries = Array.from({ length: 500 }, () => ({ name: 'R', seed: 'same' }))
    await must('evaluateBatch', { entries })
    // Counts are stored every few seconds.
    testEnv.clock.doPeriodicWork()
    await expect
      .poll(async () => (await must('rollCounts', { name: 'R', sinceMs: 0 })).hours.length as number)
      .toBeGreaterThan(0)
  }

  test('holds it before the next step if the served values do not fit, with the figures', async () => {
    const { id } = await proposeRamp([0.5, 1], { guard: { onMisfit: 'hold' } })
    await stepTo(hourMs, 0.5)
    await serveOneSide()
    testEnv.clock.advance(dayMs)
    await expect.poll(() => stateOf(id)).toBe('paused')
    expect(await chanceOf()).toBe(0.5)
    expect((await show(id)).problem).toMatch(
      /^Of 500 values that were chosen by the chance 0.5, (?:0|500) were A instead of about 250: /,
    )
  })

  test('aborts it to its chance', async () => {
    const { id } = await proposeRamp([0.5, 1], { guard: { onMisfit: 'abort', abortTo: 0.01 } })
    await stepTo(hourMs, 0.5)
    await serveOneSide()
    testEnv.clock.advance(dayMs)
    await expect.poll(() => stateOf(id)).toBe('aborted')
    expect(await chanceOf()).toBe(0.01)
    expect((await show(id)).problem).toContain('500')
  })

  test('lets it go on if they fit, or if there are too few to say', async () => {
    const { id } = await proposeRamp([0.5, 1], { guard: { onMisfit: 'abort' } })
    await stepTo(hourMs, 0.5)
    await stepTo(dayMs, 1)
    expect(await stateOf(id)).toBe('applied')
  })
})

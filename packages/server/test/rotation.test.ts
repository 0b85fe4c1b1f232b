/** When a variable last got another value, where it is due for the next one, and values that change step by step. */
import { createHash } from 'node:crypto'
import { bucketText, unitOfHash } from '@rollkey/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { useTestEnv } from '../testkit/test-env.ts'
import { VaultClient } from '../testkit/vault.ts'
import { dev, prod, Scene, shop } from './access/scene.ts'

const testEnv = useTestEnv()
const dayMs = 86_400_000
const hourMs = 3_600_000
const [oldValue, newValue] = ['CANARY_OLD', 'CANARY_NEW']

afterEach(() => testEnv.clock.run())

test('a variable is overdue when it has kept its value for longer than declared, whatever else of it is written', async () => {
  const scene = await Scene.open(testEnv)
  const write = (...entries: object[]) => scene.asOwner('write', { ...dev, mode: 'upsert', entries })
  const overdue = async (document?: object): Promise<unknown> => {
    const { problems } = await scene.asOwner('declarationCheck', { ...dev, document })
    return (problems as { problem: string }[]).filter(({ problem }) => problem === 'overdue')
  }
  const attention = async (token?: string) => {
    if (token === undefined) return (await scene.asOwner('attention'))['overdue']
    return (await testEnv.client.must('attention', { orgSlug: scene.orgSlug }, { token }))['overdue']
  }
  const startMs = testEnv.clock.now()
  testEnv.clock.freezeAt(startMs)
  await write(secret('DB_PASSWORD', 'first'), secret('URL', 'db'), roll('SPLIT', 0.5), secret('DIGIT', '1'))
  const names = ['DB_PASSWORD', 'URL', 'SPLIT', 'DIGIT', 'NOWHERE']
  const declarations = names.map((name) => ({ name, rotateEveryDays: 2, owner: 'Payments' }))
  await scene.asOwner('declarationSet', { ...shop, declarations })
  testEnv.clock.advance(dayMs)
  // None of these is another value.
  await write(secret('DB_PASSWORD', 'first'), { ...roll('SPLIT', 0.9), description: 'Described' })
  await scene.asOwner('update', {
    ...dev,
    updates: [
      { name: 'SPLIT', chance: 0.2 },
      { name: 'URL', description: 'Where' },
    ],
  })
  await write(secret('DIGIT', '2'))
  testEnv.clock.advance(dayMs - 1)
  expect([await overdue(), await attention()]).toEqual([[], []])
  testEnv.clock.advance(1)
  const dueAtMs = startMs + 2 * dayMs
  const expected = `must get another value every 2 days, and has had this one since ${new Date(startMs).toISOString().slice(0, 10)}`
  const due = (name: string) => ({ name, problem: 'overdue', expected, dueAtMs, owner: 'Payments' })
  expect(await overdue()).toEqual(['DB_PASSWORD', 'SPLIT', 'URL'].map(due))
  expect(await overdue({ properties: { DB_PASSWORD: { 'x-rollkey': { rotateEveryDays: 3 } } } })).toEqual([])
  const seen = [{ ...dev, count: 3, names: ['DB_PASSWORD', 'SPLIT', 'URL'] }]
  expect(await attention()).toEqual(seen)
  const scoped = (at: object) => scene.machine('service token', { name: 'CI', role: 'reader', ...at })
  expect([await attention(await scoped(prod)), await attention(await scoped(dev))]).toEqual([[], seen])
  await write(secret('DB_PASSWORD', 'second'), { ...roll('SPLIT', 0.2), valueB: 'other' })
  expect(await overdue()).toEqual([due('URL')])
  await scene.asOwner('declarationDelete', { ...shop, names: ['URL'] })
  expect([await overdue(), await attention()]).toEqual([[], []])
})

async function answerTo(scene: Scene, name: Parameters<Scene['call']>[0], input: object) {
  return scene.call(name, input, await testEnv.provider.confirmedTokenOf(scene.owner.user))
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo).toBe(true)
}

/** A secret that is rotated in steps of an hour. */
class Rotation {
  readonly #scene: Scene
  id = ''

  constructor(scene: Scene) {
    this.#scene = scene
  }

  static async propose(scene: Scene, chances: readonly number[], more: object = {}): Promise<Rotation> {
    const rotation = new Rotation(scene)
    rotation.id = (await scene.asOwner('changePropose', rotation.request(chances, more))).id
    return rotation
  }

  request(chances: readonly number[], more: object = {}): object {
    const startMs = testEnv.clock.now() + hourMs
    const steps = chances.map((chance, index) => ({ atMs: startMs + index * hourMs, chance }))
    return { ...prod, reason: 'Quarterly', ramp: { name: 'KEY', value: newValue, steps, ...more } }
  }

  async state(): Promise<unknown> {
    return (await this.#scene.asOwner('changeShow', { ...prod, id: this.id })).state
  }

  /** Lets the next step happen, and returns the variable after it. */
  async step(): Promise<Record<string, unknown>> {
    const { revision } = await this.#scene.asOwner('list', prod)
    testEnv.clock.advance(hourMs)
    await until(async () => (await this.#scene.asOwner('list', prod)).revision === revision + 1)
    return this.variable()
  }

  async variable(): Promise<Record<string, unknown>> {
    const { variables } = await this.#scene.asOwner('list', prod)
    return variables.find(({ name }: { name: string }) => name === 'KEY')
  }

  abort(chance: number) {
    return answerTo(this.#scene, 'changeAbort', { ...prod, id: this.id, chance })
  }

  /** Returns the values of 100 seeds. */
  async served(): Promise<string[]> {
    const entries = Array.from({ length: 100 }, (_, seed) => ({ name: 'KEY', seed: `s${seed}`, key: 'k' }))
    const { results } = await this.#scene.asOwner('evaluateBatch', { ...prod, entries })
    return results.map(({ value }: { value: string }) => value)
  }
}

/** The values of 100 seeds that a chance gives. */
const valuesAt = (chance: number): string[] =>
  Array.from({ length: 100 }, (_, seed) => {
    const hash = createHash('sha256')
      .update(bucketText('KEY', `s${seed}`, 'k'))
      .digest()
    return unitOfHash(hash.readUInt32BE(0), hash.readUInt32BE(4)) < chance ? newValue : oldValue
  })

describe('a gradual rotation', () => {
  const open = async (): Promise<Scene> => {
    testEnv.clock.freezeAt(testEnv.clock.now())
    const scene = await Scene.open(testEnv)
    const key = { ...secret('KEY', oldValue), description: 'For the bank', declaredType: 'string' }
    await scene.asOwner('write', { ...prod, mode: 'upsert', entries: [key] })
    return scene
  }

  test('serves the old or the new value, by the chance of each step, and ends with the new one as a secret', async () => {
    const scene = await open()
    await scene.asOwner('declarationSet', { ...shop, declarations: [{ name: 'KEY', rotateEveryDays: 1 }] })
    testEnv.clock.advance(dayMs)
    const isDue = async () => ((await scene.asOwner('attention'))['overdue'] as unknown[]).length > 0
    const vault = new VaultClient(testEnv.app.url)
    const token = await scene.machine('service token', { name: 'External Secrets', role: 'developer', history: true })
    const inVault = async () => {
      const [one, all] = [
        await vault.get('shop/data/prod/KEY', { token }),
        await vault.get('shop/data/prod', { token }),
      ]
      expect(all.body.data.data.KEY).toBe(one.body.data.data.value)
      expect(all.body.warnings).toBe(null)
      return one.body.data.data.value as string
    }
    /** A flag of OFREP whose request names no user. */
    const asFlag = async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const url = `${testEnv.app.url}/projects/shop/stages/prod/ofrep/v1/evaluate/flags/KEY`
      return (
        (await (await fetch(url, { method: 'POST', headers, body: '{"context":{}}' })).json()) as { value: unknown }
      ).value
    }
    const rotation = await Rotation.propose(scene, [0.1, 0.5, 1])
    const shown = await scene.asOwner('changeShow', { ...prod, id: rotation.id })
    expect(shown.items).toMatchObject([
      { name: 'KEY', action: 'update', after: { kind: 'secret' }, before: { kind: 'secret' } },
    ])
    expect([await rotation.served(), await isDue()]).toEqual([valuesAt(0), true])
    for (const chance of [0.1, 0.5]) {
      expect(await rotation.step()).toMatchObject({
        kind: 'ab_roll',
        chance,
        rotating: true,
        description: 'For the bank',
      })
      expect([await rotation.served(), await inVault(), await asFlag()]).toEqual([valuesAt(chance), oldValue, oldValue])
      const { variables } = await scene.asOwner('ruleset', prod)
      expect(JSON.stringify(variables)).not.toMatch(/CANARY_(?:OLD|NEW)/)
    }
    expect(await isDue()).toBe(true)
    const past = (await rotation.variable()) && (await scene.asOwner('list', prod)).revision
    const after = await rotation.step()
    expect(after).toMatchObject({ kind: 'secret', declaredType: 'string', description: 'For the bank' })
    expect([Object.keys(after).includes('rotating'), 'labels' in after]).toEqual([false, false])
    expect([await rotation.served(), await inVault(), await rotation.state()]).toEqual([
      valuesAt(1),
      newValue,
      'applied',
    ])
    expect(await isDue()).toBe(false)
    // A former version of the stage has what the door served then.
    expect((await vault.get(`shop/data/prod?version=${past}`, { token })).body.data.data.KEY).toBe(oldValue)
  })

  test('goes back to the old value, or on to the new one, with the answer of the abort', async () => {
    const scene = await open()
    for (const [chance, value] of [
      [0, oldValue],
      [1, newValue],
    ] as const) {
      const rotation = await Rotation.propose(scene, [0.5, 0.9, 1])
      await rotation.step()
      const half = await rotation.abort(0.5)
      expect([half.status, half.body.error.message]).toEqual([
        400,
        expect.stringContaining('at the chance 0, with the old value, or at 1'),
      ])
      const skipped = () => answerTo(scene, 'changeSkip', { ...prod, id: rotation.id })
      expect([(await skipped()).status, (await skipped()).body.error.message]).toEqual([
        200,
        expect.stringContaining('cannot be left out'),
      ])
      expect((await rotation.abort(chance)).status).toBe(200)
      expect(new Set(await rotation.served())).toEqual(new Set([value]))
      expect([await rotation.variable(), await rotation.state()]).toMatchObject([{ kind: 'secret' }, 'aborted'])
      testEnv.clock.advance(dayMs)
    }
  })

  test('is refused where two values cannot be, and where the steps do not end with the new one', async () => {
    const scene = await open()
    const template = (name: string, text: string) => ({ ...secret(name, text), template: true })
    const entries = [template('URL', 'https://${KEY}@bank'), template('ALL', '${URL} ${A}'), secret('FREE', 'x')]
    await scene.asOwner('write', { ...prod, mode: 'upsert', entries })
    await scene.asOwner('declarationSet', { ...shop, declarations: [{ name: 'FREE', constraint: { maxLength: 3 } }] })
    const refusal = async (chances: readonly number[], more: object) => {
      const request = new Rotation(scene).request(chances, more)
      const { status, body, text } = await answerTo(scene, 'changePropose', request)
      expect([status, text.includes('CANARY')]).toEqual([400, false])
      return body.error.message as string
    }
    const steps = [0.5, 1]
    const FREE = { name: 'FREE', value: 'abc' }
    expect(await refusal(steps, {})).toBe(
      '"KEY" cannot have two values, because templates name it: "ALL", "URL". Rotate it at once, without steps (in the command line without --gradual).',
    )
    expect(await refusal(steps, { name: 'URL' })).toContain('"URL" is a template (expected a secret')
    expect(await refusal(steps, { name: 'R' })).toContain('"R" is a roll (expected a secret)')
    expect(await refusal([0.5, 0.9], FREE)).toContain('the last must have the chance 1')
    expect(await refusal([1], FREE)).toContain('must be two or more')
    expect(await refusal(steps, { ...FREE, guard: { onMisfit: 'hold' } })).toContain('takes no guard')
    expect(await refusal(steps, { ...FREE, value: newValue })).toContain('"FREE" must have at most 3 characters')
  })

  test('stops where something else is written, and a change of its chance by hand pauses it', async () => {
    const scene = await open()
    const rotation = await Rotation.propose(scene, [0.5, 0.9, 1])
    await rotation.step()
    await scene.asOwner('update', { ...prod, updates: [{ name: 'KEY', chance: 0.2 }] })
    expect([await rotation.state(), await rotation.variable()]).toMatchObject([
      'paused',
      { chance: 0.2, rotating: true },
    ])
    await scene.asOwner('write', { ...prod, mode: 'upsert', entries: [secret('KEY', 'third value')] })
    const { revision } = await scene.asOwner('list', prod)
    expect((await rotation.abort(0)).body).toMatchObject({ revision })
    expect([await rotation.state(), new Set(await rotation.served())]).toEqual(['aborted', new Set(['third value'])])
  })

  test('needs the approvals of a ramp, and goes back without one', async () => {
    const scene = await open()
    const reviewer = scene.member()
    await scene.grant(scene.owner.user, 'maintainer', prod)
    await scene.grant(reviewer, 'releaser', prod)
    await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1 })
    const rotation = await Rotation.propose(scene, [0.5, 1])
    const { digest } = await scene.asOwner('changeShow', { ...prod, id: rotation.id })
    const review = { ...prod, id: rotation.id, digest, verdict: 'approve' }
    const token = await testEnv.provider.confirmedTokenOf(reviewer)
    await testEnv.client.must('changeReview', { orgSlug: scene.orgSlug, ...review }, { token })
    await rotation.step()
    expect((await rotation.abort(1)).body.error.code).toBe('APPROVAL_REQUIRED')
    expect((await rotation.abort(0)).status).toBe(200)
    expect(await rotation.variable()).toMatchObject({ kind: 'secret' })
  })
})

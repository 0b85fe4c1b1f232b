import { limits, type DeclaredType, type Roll } from '@rollkey/contract'
import { describe, expect, test, vi } from 'vitest'
import { noReads } from '../../src/consistency/read-set.ts'
import { ApiError } from '../../src/base/api-error.ts'
import { createLog } from '../../src/base/log.ts'
import { unitOf } from '../../src/evaluation/bucket.ts'
import { Evaluation, type EvaluationRequest } from '../../src/evaluation/evaluate.ts'
import { freePlan, unlimited, type Plan } from '../../src/metering/plans.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { readMeter } from '../../src/storage/usage.ts'
import { listVariables } from '../../src/variables/list.ts'
import { LastEvaluations } from '../../src/evaluation/last-evaluations.ts'
import { RollCounts } from '../../src/evaluation/roll-counts.ts'
import { turnsDuring } from '../../testkit/turns.ts'
import { seeded } from '../../testkit/random.ts'
import { abRoll, live, newNode, newStore, secret } from '../stages/node.ts'

const by = (requestKey?: string, reserve: EvaluationRequest['reserve'] = () => undefined): EvaluationRequest => ({
  usage: { caller: 'user_1', how: 'session', requestKey },
  reads: noReads,
  reserve,
})

async function opened(plan: Plan = unlimited) {
  const { sql, clock } = await newStore()
  const node = await newNode(sql, clock, plan)
  const random = seeded(5)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const counting = { rollCounts: new RollCounts({ sql, clock }), lastEvaluations: new LastEvaluations({ sql, clock }) }
  const evaluation = new Evaluation({ ...node, meter: node.ledger, ...counting, dice: { unitOf, random }, log })
  return {
    ...node,
    sql,
    clock,
    evaluation,
    lines,
    used: async () => {
      await node.settle()
      return readMeter(sql, { orgId: 'org_1', meter: 'evaluations', period: '2026-09' })
    },
    /** Returns the variables of a pull as a client reads them. */
    pull: async (roll: Roll = {}, requestKey?: string) => {
      const { members, revision } = await evaluation.pull(live, roll, by(requestKey))
      const text = `{${Buffer.concat(members).toString()}}`
      return { text, variables: new Map(Object.entries(JSON.parse(text) as Record<string, string>)), revision }
    },
  }
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((reason: unknown) => reason)
  const { code, message } = error as { code?: string; message?: string }
  return `${code}: ${message}`
}

/** Flips the last bit of a stored payload. */
async function damage(sql: Sql, name: string): Promise<void> {
  const [row] = await sql.all<{ sealed: Uint8Array }>('select sealed from variables where name = $1', name)
  const sealed = Uint8Array.from(row?.sealed ?? [])
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
  await sql.tx((tx) => tx.all('update variables set sealed = $1 where name = $2', sealed, name))
}

const texts = ['', 'plain', 'quote " and \\', 'line\nbreak', '\u0000', 'Zoë-用户-🚀', '\u2028', '</script>']

describe('an evaluation', () => {
  test('answers each entry in the order of the request, including duplicates', async () => {
    const { write, evaluation } = await opened()
    await write({ entries: [secret('A', '1', { declaredType: 'int64' }), abRoll('R', 1), abRoll('S', 0)] })
    const results = await evaluation.evaluateBatch(
      live,
      ['S', 'A', 'R', 'A'].map((name) => ({ name })),
      by(),
    )
    expect(results).toEqual([
      { name: 'S', kind: 'ab_roll', value: 'b', decision: 'b' },
      { name: 'A', kind: 'secret', value: '1', declaredType: 'int64' },
      { name: 'R', kind: 'ab_roll', value: 'a', decision: 'a' },
      { name: 'A', kind: 'secret', value: '1', declaredType: 'int64' },
    ])
  })

  test('of one variable is the same as that of a batch with one entry', async () => {
    const { write, evaluation, stages, sql, used } = await opened()
    await write({ entries: [secret('A', '1', { declaredType: 'int64' }), secret('BAD'), abRoll('R', 0.5)] })
    await damage(sql, 'BAD')
    stages.forget(live)
    const seeds = Array.from({ length: 20 }, (_, index) => `user ${index}`)
    for (const entry of [{ name: 'A' }, ...seeds.map((seed) => ({ name: 'R', seed, explain: true }))])
      expect([await evaluation.evaluate(live, entry, by())]).toEqual(
        await evaluation.evaluateBatch(live, [entry], by()),
      )
    expect(await used()).toBe(42)
    const tooMany = by(undefined, () => {
      throw new ApiError('RATE_LIMITED')
    })
    for (const [entry, request, code] of [
      [{ name: 'NONE' }, by(), 'VARIABLE_NOT_FOUND'],
      [{ name: 'A', declaredType: 'float' }, by(), 'INVALID_REQUEST'],
      [{ name: 'A' }, tooMany, 'RATE_LIMITED'],
      [{ name: 'BAD' }, by(), 'EVALUATION_FAILED'],
    ] as const) {
      const refused = await refusal(evaluation.evaluate(live, entry, request))
      expect(refused).toContain(code)
      expect(refused).toBe(await refusal(evaluation.evaluateBatch(live, [entry], request)))
    }
    expect(await used()).toBe(42)
  })

  test('rolls each entry with its seed and key', async () => {
    const { write, evaluation } = await opened()
    await write({ entries: [abRoll('R', 0.5)] })
    const wanted = Array.from({ length: 50 }, (_, index) => ({ name: 'R', seed: `user ${index}`, key: 'k' }))
    const results = await evaluation.evaluateBatch(live, wanted, by())
    expect(results.map(({ decision }) => decision)).toEqual(
      wanted.map(({ seed }) => (unitOf('R', seed, 'k') < 0.5 ? 'a' : 'b')),
    )
  })

  test('is all or nothing: the error names a missing variable, and nothing is billed', async () => {
    const { write, evaluation, used } = await opened()
    await write({ entries: [secret('A')] })
    const evaluate = (...names: string[]): Promise<unknown> =>
      evaluation.evaluateBatch(
        live,
        names.map((name) => ({ name })),
        by(),
      )
    expect(await refusal(evaluate('A', 'B"'))).toBe('VARIABLE_NOT_FOUND: The stage has no variable "B\\"".')
    for (const name of ['a', 'A ', '__proto__', 'constructor', '']) {
      expect(await refusal(evaluate(name))).toContain('VARIABLE_NOT_FOUND')
    }
    const nowhere = evaluation.evaluateBatch({ ...live, stageSlug: 'none' }, [{ name: 'A' }], by())
    expect(await refusal(nowhere)).toContain('VARIABLE_NOT_FOUND')
    expect(await used()).toBe(0)
  })

  test('accepts only the stored declared type', async () => {
    const { write, evaluation, used } = await opened()
    await write({ entries: [secret('TYPED', '1', { declaredType: 'int64' }), secret('UNTYPED', '1')] })
    const ask = (name: string, declaredType: DeclaredType) =>
      evaluation.evaluateBatch(live, [{ name, declaredType }], by())
    expect(await ask('TYPED', 'int64')).toMatchObject([{ value: '1', declaredType: 'int64' }])
    expect(await ask('UNTYPED', 'string')).toEqual([{ name: 'UNTYPED', kind: 'secret', value: '1' }])
    expect(await refusal(ask('TYPED', 'string'))).toBe(
      'INVALID_REQUEST: The variable "TYPED" has the declared type int64, not string: request int64.',
    )
    expect(await refusal(ask('UNTYPED', 'int64'))).toContain('INVALID_REQUEST')
    expect(await used()).toBe(2)
  })

  test('of more stored bytes than one answer may have is refused before anything is opened or billed', async () => {
    const { write, evaluation, used, stages } = await opened()
    await write({ entries: [secret('A', 'x'.repeat(60_000)), secret('B')] })
    const stage = await stages.find(live, noReads)
    const { size } = stage.variables.get('A') ?? { size: 0 }
    const max = Math.floor(limits.evaluatedBytes / size)
    const wanted = (times: number) => Array.from({ length: times }, () => ({ name: 'A' }))
    expect(await evaluation.evaluateBatch(live, wanted(max), by())).toHaveLength(max)
    expect(await used()).toBe(1)
    const open = vi.spyOn(stage.sealer, 'open')
    const admitted: number[] = []
    const admit = (bytes: number): undefined => void admitted.push(bytes)
    const tooMany = evaluation.evaluateBatch(live, wanted(max + 1), by(undefined, admit))
    expect(await refusal(tooMany)).toContain('PAYLOAD_TOO_LARGE: The values of this request have ')
    expect([admitted, open.mock.calls.length, await used()]).toEqual([[], 0, 1])
  })

  test('of many bytes opens each value once, and lets other requests run', async () => {
    const { write, evaluation, stages } = await opened()
    await write({ entries: [secret('A', 'x'.repeat(60_000)), abRoll('R', 1)] })
    const stage = await stages.find(live, noReads)
    const open = vi.spyOn(stage.sealer, 'open')
    const wanted = Array.from({ length: 250 }, (_, index) => ({ name: index % 50 === 0 ? 'R' : 'A' }))
    let results: readonly { readonly name: string }[] = []
    const turns = await turnsDuring(async () => {
      results = await evaluation.evaluateBatch(live, wanted, by())
    })
    expect(results.map(({ name }) => name)).toEqual(wanted.map(({ name }) => name))
    expect(open).toHaveBeenCalledTimes(2)
    expect(turns).toBeGreaterThan(50)
  })

  test('is neither opened nor billed if there is no memory for its answer', async () => {
    const { write, evaluation, used, stages } = await opened()
    await write({ entries: [secret('A'), secret('B')] })
    const stage = await stages.find(live, noReads)
    const open = vi.spyOn(stage.sealer, 'open')
    const size = stage.variables.get('A')?.size ?? 0
    const admitted: number[] = []
    const admit = (bytes: number): never => {
      admitted.push(bytes)
      throw new ApiError('RATE_LIMITED')
    }
    const names = [{ name: 'A' }, { name: 'A' }]
    expect(await refusal(evaluation.evaluateBatch(live, names, by(undefined, admit)))).toContain('RATE_LIMITED')
    expect(await refusal(evaluation.pull(live, {}, by(undefined, admit)))).toContain('RATE_LIMITED')
    expect([admitted, open.mock.calls.length, await used()]).toEqual([[2 * size, stage.bytes], 0, 0])
  })

  test('of no variables is an event too', async () => {
    const { evaluation, used } = await opened()
    expect(await evaluation.evaluateBatch(live, [], by())).toEqual([])
    expect(await used()).toBe(1)
  })

  test('is one event, however many variables it names', async () => {
    const { write, evaluation, used } = await opened()
    await write({ entries: [secret('A')] })
    await evaluation.evaluateBatch(
      live,
      Array.from({ length: 100 }, () => ({ name: 'A' })),
      by('key'),
    )
    await evaluation.evaluateBatch(live, [{ name: 'A' }], by('key'))
    expect(await used()).toBe(1)
  })

  test('over the limit returns no value', async () => {
    const { write, evaluation, pull } = await opened(freePlan(1, 10_000))
    await write({ entries: [secret('A')] })
    const evaluate = (key?: string) => evaluation.evaluateBatch(live, [{ name: 'A' }], by(key))
    await evaluate('key')
    const sentence =
      "USAGE_LIMIT_EXCEEDED: This month's evaluations of the plan are used up: wait until next month, or change the plan."
    expect([await refusal(evaluate()), await refusal(pull())]).toEqual([sentence, sentence])
    expect(await evaluate('key')).toMatchObject([{ value: 'v' }])
  })
})

describe('a pull', () => {
  test('in the same turn as others gives each request its sides', async () => {
    const { write, pull } = await opened()
    const rolls = Array.from({ length: 20 }, (_, index) => abRoll(`R${index}`, 0.5))
    await write({ entries: [secret('FIRST', '1'), ...rolls, secret('Z', 'z')] })
    const seeds = Array.from({ length: 30 }, (_, index) => ({ seed: `user-${index}`, key: 'k' }))
    const together = await Promise.all(seeds.map((roll) => pull(roll)))
    for (const [index, roll] of seeds.entries()) expect((await pull(roll)).text).toBe(together[index]?.text)
    expect(new Set(together.map(({ text }) => text)).size).toBe(seeds.length)
  })

  test('has every variable with the value of an evaluation, in code point order', async () => {
    const { write, evaluation, pull } = await opened()
    const names = ['🚀', '\uffff', 'B', 'a"', '__proto__', 'constructor', 'é', '1', '10', '2']
    const rolled = (name: string, index: number) =>
      abRoll(`${name} roll`, 0.5, {
        valueA: `${texts[index % texts.length]}A`,
        valueB: texts[(index + 1) % texts.length] ?? '',
      })
    await write({
      entries: [...names.map((name, index) => secret(name, texts[index % texts.length])), ...names.map(rolled)],
    })
    const sorted = [...names, ...names.map((name) => `${name} roll`)].toSorted((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    )
    for (let user = 0; user < 40; user++) {
      const roll = { seed: `user ${user}`, key: 'k' }
      const { text, variables } = await pull(roll)
      const results = await evaluation.evaluateBatch(
        live,
        sorted.map((name) => ({ name, ...roll })),
        by(),
      )
      expect(Object.fromEntries(variables)).toEqual(Object.fromEntries(results.map(({ name, value }) => [name, value])))
      // Compares the text, because JSON.parse reorders names that look like numbers.
      const members = results.map(({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      expect(text).toBe(`{${members.join(',')}}`)
    }
  })

  test.each([
    ['nothing but secrets', [secret('A', '1'), secret('B', '2')]],
    ['nothing but rolls', [abRoll('A', 1), abRoll('B', 0)]],
    ['a roll first', [abRoll('A', 1), secret('B')]],
    ['a roll last', [secret('A'), abRoll('B', 0)]],
    ['one secret', [secret('A', '')]],
    ['one roll of empty values', [abRoll('A', 1, { valueA: '', valueB: '' })]],
  ])('of a stage with %s is JSON', async (_, entries) => {
    const { write, pull } = await opened()
    await write({ entries })
    const { variables } = await pull()
    expect([...variables.keys()]).toEqual(entries.map(({ name }) => name))
  })

  test('without seed and key rolls each variable at random, each time', async () => {
    const { write, pull } = await opened()
    await write({ entries: Array.from({ length: 20 }, (_, index) => abRoll(`R${index}`, 0.5)) })
    const pulled = [await pull(), await pull({ seed: '', key: '' })].map(({ text }) => text)
    expect(pulled[0]).not.toBe(pulled[1])
    expect(pulled.every((text) => text.includes('"a"') && text.includes('"b"'))).toBe(true)
  })

  test('returns the last write, not the bundle of an earlier pull', async () => {
    const { write, pull } = await opened()
    await write({ entries: [secret('A', 'old'), abRoll('R', 1)] })
    expect(Object.fromEntries((await pull()).variables)).toEqual({ A: 'old', R: 'a' })
    await write({ entries: [secret('A', 'new'), abRoll('R', 0)] })
    const { variables, revision } = await pull()
    expect([Object.fromEntries(variables), revision]).toEqual([{ A: 'new', R: 'b' }, 2])
    await write({ deletes: ['A', 'R'] })
    expect(await pull()).toMatchObject({ text: '{}', revision: 3 })
  })

  test('of a stage that does not exist is empty, at revision 0, and an event', async () => {
    const { pull, used } = await opened()
    expect(await pull()).toMatchObject({ text: '{}', revision: 0 })
    expect(await used()).toBe(1)
  })

  test('of a thousand large values returns each one', async () => {
    const { write, pull } = await opened()
    const entries = Array.from({ length: 1_000 }, (_, index) =>
      secret(`N${index}`, `${index}-${'用'.repeat(index % 300)}`),
    )
    await write({ entries })
    const { variables } = await pull()
    expect(variables.size).toBe(1_000)
    expect(entries.every((entry) => entry.kind === 'secret' && variables.get(entry.name) === entry.value)).toBe(true)
  })

  test('of many bytes lets other requests run', async () => {
    const { write, pull } = await opened()
    await write({ entries: Array.from({ length: 1_000 }, (_, index) => secret(`N${index}`, 'x'.repeat(3_000))) })
    expect(await turnsDuring(pull)).toBeGreaterThan(500)
    // The bundle now exists, in pieces of 256 KiB.
    expect(await turnsDuring(pull)).toBeGreaterThan(10)
  })

  test('is one event, also with the request key of an evaluation', async () => {
    const { write, evaluation, pull, used } = await opened()
    await write({ entries: [secret('A'), secret('B')] })
    await pull({}, 'key')
    await pull({}, 'key')
    await evaluation.evaluateBatch(live, [{ name: 'A' }], by('key'))
    expect(await used()).toBe(1)
    await pull()
    expect(await used()).toBe(2)
  })
})

describe('a value that does not open', () => {
  test('fails the request, is logged for the operator but not reported to the caller, and is not billed', async () => {
    const { write, evaluation, pull, used, sql, stages, lines } = await opened()
    await write({ entries: [secret('CANARY', 'v'), secret('GOOD', 'v')] })
    await damage(sql, 'CANARY')
    stages.forget(live)
    const sentence = 'EVALUATION_FAILED: A stored value cannot be opened.'
    expect(await refusal(evaluation.evaluateBatch(live, [{ name: 'CANARY' }], by('key')))).toBe(sentence)
    expect(await refusal(pull({}, 'key'))).toBe(sentence)
    expect(await used()).toBe(0)
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', stageId: expect.stringMatching(/^stg_/) })
    expect(lines.join('')).not.toContain('CANARY')
    expect(await evaluation.evaluateBatch(live, [{ name: 'GOOD' }], by('key'))).toMatchObject([{ value: 'v' }])
    expect(await used()).toBe(1)
  })

  test('may have a damaged data key, which affects neither the list nor another project', async () => {
    const { write, sql, clock, used } = await opened()
    const other = { ...live, projectSlug: 'api' }
    await write({ entries: [secret('A', 'one')] })
    await write({ entries: [secret('A', 'two')] }, other)
    await sql.tx((tx) =>
      tx.all(
        `update data_keys set wrapped = $1 where project_id = (select id from projects where slug = 'shop')`,
        new Uint8Array(60),
      ),
    )
    const restarted = await newNode(sql, clock)
    const { stages, ledger: meter } = restarted
    const counting = {
      rollCounts: new RollCounts({ sql, clock }),
      lastEvaluations: new LastEvaluations({ sql, clock }),
    }
    const dice = { unitOf, random: seeded(1) }
    const evaluation = new Evaluation({ stages, meter, ...counting, dice, log: createLog('silent') })
    expect(await refusal(evaluation.evaluateBatch(live, [{ name: 'A' }], by()))).toContain('EVALUATION_FAILED')
    expect(await refusal(evaluation.pull(live, {}, by()))).toContain('EVALUATION_FAILED')
    expect(await used()).toBe(0)
    expect(listVariables(await stages.find(live, noReads), new Map())).toMatchObject({
      variables: [{ name: 'A' }],
      revision: 1,
    })
    expect(await evaluation.evaluateBatch(other, [{ name: 'A' }], by())).toMatchObject([{ value: 'two' }])
  })

  test('may have been moved to another name or stage', async () => {
    const { write, evaluation, sql, stages } = await opened()
    const other = { ...live, stageSlug: 'test' }
    await write({ entries: [secret('A', 'one'), secret('B', 'two')] })
    await write({ entries: [secret('A', 'three')] }, other)
    const evaluate = (name: string, address = live) => evaluation.evaluateBatch(address, [{ name }], by())
    const [one, three] = await sql.all<{ stage_id: string; sealed: Uint8Array }>(
      `select v.stage_id, v.sealed from variables v join stages s on s.id = v.stage_id where v.name = 'A' order by s.slug`,
    )
    await sql.tx(async (tx) => {
      await tx.all(`update variables set name = 'C' where name = 'B'`)
      const exchange = `update variables set sealed = $1 where name = 'A' and stage_id = $2`
      await tx.all(exchange, one?.sealed ?? null, three?.stage_id ?? null)
      await tx.all(exchange, three?.sealed ?? null, one?.stage_id ?? null)
    })
    for (const address of [live, other]) stages.forget(address)
    const outcomes = [await refusal(evaluate('C')), await refusal(evaluate('A')), await refusal(evaluate('A', other))]
    expect(outcomes.every((outcome) => outcome.startsWith('EVALUATION_FAILED'))).toBe(true)
  })

  test('may have a missing payload, which also affects the other value of a roll', async () => {
    const { write, evaluation, sql, stages } = await opened()
    await write({ entries: [abRoll('R', 1)] })
    const [row] = await sql.all<{ sealed: Uint8Array }>('select sealed from variables')
    const evaluate = () => refusal(evaluation.evaluateBatch(live, [{ name: 'R' }], by()))
    const swapped = Buffer.concat([
      Buffer.from(row?.sealed ?? []).subarray(51),
      Buffer.from(row?.sealed ?? []).subarray(0, 51),
    ])
    for (const sealed of [Buffer.alloc(0), Buffer.from(row?.sealed ?? []).subarray(0, 20), swapped]) {
      await sql.tx((tx) => tx.all('update variables set sealed = $1', sealed))
      stages.forget(live)
      expect(await evaluate()).toContain('EVALUATION_FAILED')
    }
  })
})

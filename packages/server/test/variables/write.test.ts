import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import { noReads } from '../../src/consistency/read-set.ts'
import { Sealer } from '../../src/crypto/seal.ts'
import { freePlan, unlimited } from '../../src/metering/plans.ts'
import { readMeter } from '../../src/storage/usage.ts'
import type { Sql, Tx, Value } from '../../src/storage/sql.ts'
import { CopyChange } from '../../src/variables/changes/copy.ts'
import { RestoreChange } from '../../src/history/restore-change.ts'
import { listVariables } from '../../src/variables/list.ts'
import { withTemplates } from '../../src/variables/templates.ts'
import { sealValues } from '../../src/variables/values.ts'
import type { StageSize } from '../../src/stages/stage-size.ts'
import type { Stage } from '../../src/stages/stages.ts'
import { silent } from '../storage/temporary.ts'
import { seeded } from '../../testkit/random.ts'
import { turnsDuring } from '../../testkit/turns.ts'
import { abRoll, live, newNode, newStore, secret, startMs, type Node } from '../stages/node.ts'

async function opened(): Promise<Node & { sql: Sql; clock: Awaited<ReturnType<typeof newStore>>['clock'] }> {
  const { sql, clock } = await newStore()
  return { sql, clock, ...(await newNode(sql, clock)) }
}

/** Returns the code and the message of a refused write. */
async function refusal(write: Promise<unknown>): Promise<string> {
  const error: unknown = await write.catch((reason: unknown) => reason)
  const { code, message } = error as { code?: string; message?: string }
  return `${code}: ${message}`
}

/** Returns everything that a write can change. */
async function stateOf(sql: Sql): Promise<Record<string, unknown[]>> {
  const tables = ['projects', 'stages', 'data_keys', 'variables', 'variable_history', 'meters']
  const rows = await Promise.all(tables.map((table) => sql.all(`select * from ${table} order by 1, 2, 3`)))
  return Object.fromEntries(tables.map((table, index) => [table, rows[index] ?? []]))
}

const historyOf = async (sql: Sql): Promise<string[]> => {
  const rows = await sql.all<{ name: string; revision: number; sealed: Uint8Array | null }>(
    'select name, revision, sealed from variable_history order by revision, name',
  )
  return rows.map(({ name, revision, sealed }) => `${revision} ${name}${sealed ? '' : ' deleted'}`)
}

describe('a write', () => {
  test('returns what it created, updated and deleted, in code point order', async () => {
    const { write } = await opened()
    const names = ['b', 'B', '🚀', '\uffff', 'a']
    expect(await write({ entries: names.map((name) => secret(name)) })).toEqual({
      created: ['B', 'a', 'b', '\uffff', '🚀'],
      updated: [],
      deleted: [],
      revision: 1,
    })
    const entries = [secret('new'), secret('🚀'), secret('B'), secret('also new')]
    expect(await write({ entries, deletes: ['b', '\uffff', 'a'] })).toEqual({
      created: ['also new', 'new'],
      updated: ['B', '🚀'],
      deleted: ['a', 'b', '\uffff'],
      revision: 2,
    })
  })

  test('is visible immediately, and leaves other variables unchanged', async () => {
    const { write, read } = await opened()
    await write({ entries: [secret('A', '1'), secret('B', '2'), abRoll('C')] })
    expect(await read()).toEqual({ A: ['1'], B: ['2'], C: ['a', 'b'] })
    await write({ entries: [secret('B', 'changed')], deletes: ['A'] })
    expect(await read()).toEqual({ B: ['changed'], C: ['a', 'b'] })
  })

  test('opens only stored values as long as the written ones, and templates that follow, and seals only results of these', async () => {
    const { write, read } = await opened()
    const template = (name: string, value: string) => ({ ...secret(name, value), template: true as const })
    const callsOf = async (what: 'open' | 'seal', ...entries: ReturnType<typeof secret>[]): Promise<number> => {
      const calls = vi.spyOn(Sealer.prototype, what)
      await write({ entries })
      const { length } = calls.mock.calls
      calls.mockRestore()
      return length
    }
    const openedBy = (...entries: ReturnType<typeof secret>[]): Promise<number> => callsOf('open', ...entries)
    const many = Array.from({ length: 60 }, (_, at) => `S${at}`)
    await write({ entries: ['A', 'B', ...many].map((name) => secret(name, 'before')) })
    expect(await openedBy(secret('A', 'shorter'), secret('NEW', 'before'), secret('B', 'behind'))).toBe(1)
    await write({ entries: many.slice(20).map((name) => template(`OF_${name}`, `\${${name}}`)) })
    expect(await openedBy(secret('A', 'before'))).toBe(0)
    // Of each: its text and its former result.
    const dependents = (count: number) => many.slice(0, count).map((name) => template(`T_${name}`, '${A}'))
    await write({ entries: dependents(10) })
    expect(await openedBy(secret('A', 'behind'))).toBe(2 * 10 + 1)
    await write({ entries: dependents(20) })
    expect(await openedBy(secret('A', 'before'))).toBe(2 * 20 + 1)
    // Its text stays as it is.
    expect(await callsOf('seal', secret('A', 'behind'))).toBe(20 + 1)
    await write({ entries: [secret('A', 'before')] })
    expect(Object.values(await read()).filter(([value]) => value === 'behind')).toHaveLength(1)
  })

  test('looks for templates in the list that the stage keeps of them', async () => {
    const { write, stages } = await opened()
    const template = (name: string, value: string) => ({ ...secret(name, value), template: true as const })
    const templates = async () => Object.fromEntries((await stages.current(live))?.templates ?? [])
    await write({ entries: [secret('A'), secret('B'), template('T', '${A}'), template('S', '${B}')] })
    expect(await templates()).toEqual({ S: ['B'], T: ['A'] })
    await write({ entries: [template('T', '${B}'), secret('S')] })
    expect(await templates()).toEqual({ T: ['B'] })
    await write({ entries: [template('Q', '${T}')] })
    expect(await templates()).toEqual({ Q: ['T'], T: ['B'] })
    stages.forget(live)
    expect(await templates()).toEqual({ Q: ['T'], T: ['B'] })
    const { sealer, ...stage } = (await stages.current(live)) as Stage
    const before = Object.assign(new Map(stage.variables), {
      [Symbol.iterator]: () => expect.unreachable('The variables of the stage were walked.'),
    })
    const sealed = sealValues(sealer, { name: 'B', kind: 'secret' }, { values: ['other'] })
    const state = { name: 'B', kind: 'secret', declaredType: null, attributes: '{}', sealed } as const
    const change = { before, templates: stage.templates, sealer, states: [state], deletes: [], maxBytes: 1_000 }
    expect((await withTemplates(change)).map(({ name }) => name)).toEqual(['B', 'T', 'Q'])
    await write({ deletes: ['Q', 'T'] })
    expect(await templates()).toEqual({})
  })

  test('stores values unchanged', async () => {
    const { write, read } = await opened()
    const values = ['', ' ', '\u0000', 'e\u0301', '\ufeff', '🚀'.repeat(16_384), '"\\']
    await write({ entries: values.map((value, index) => secret(`N${index}`, value)) })
    expect(Object.values(await read())).toEqual(values.map((value) => [value]))
  })

  test('accepts names of built-in object properties', async () => {
    const { write, stages } = await opened()
    const names = ['__proto__', 'constructor', 'toString']
    expect((await write({ entries: names.map((name) => secret(name)) })).created).toEqual(names)
    expect((await write({ entries: names.map((name) => secret(name)) })).updated).toEqual(names)
    expect([...((await stages.current(live))?.variables.keys() ?? [])]).toEqual(names)
  })

  test('stores nothing in plaintext', async () => {
    const { write, sql } = await opened()
    await write({ entries: [secret('A', 'canary-1'), abRoll('B', 0.5, { valueA: 'canary-2', valueB: 'canary-3' })] })
    const rows = await sql.all<object>(
      'select stage_id, name, kind, declared_type, facets, sealed, updated_by from variables union all select stage_id, name, kind, declared_type, facets, sealed, written_by from variable_history',
    )
    const bytes = rows.flatMap((row) =>
      Object.values(row).map((value) => Buffer.from(value instanceof Uint8Array ? value : String(value))),
    )
    expect(rows).toHaveLength(4)
    expect(bytes.some((each) => each.includes('canary'))).toBe(false)
  })

  test('affects only its stage, project and organization', async () => {
    const { write, read, sql } = await opened()
    const addresses = [
      live,
      { ...live, stageSlug: 'test' },
      { ...live, projectSlug: 'api' },
      { ...live, orgId: 'org_2' },
    ]
    for (const [index, address] of addresses.entries()) await write({ entries: [secret('A', `${index}`)] }, address)
    const values = await Promise.all(addresses.map(async (address) => (await read(address))['A']))
    expect(values).toEqual([['0'], ['1'], ['2'], ['3']])
    const { projects, stages, data_keys: keys } = await stateOf(sql)
    // One key per project, and the key of the installation.
    expect([projects?.length, stages?.length, keys?.length]).toEqual([3, 4, 4])
  })

  test('records its author and time', async () => {
    const { write, sql, clock } = await opened()
    clock.advance(5)
    await write({ entries: [secret('A')] })
    const by = { updated_by: 'user_1', updated_at_ms: startMs + 5 }
    expect(await sql.all('select updated_by, updated_at_ms from variables')).toMatchObject([by])
    expect(await sql.all('select created_by, created_at_ms, slug, name from stages')).toMatchObject([
      { created_by: 'user_1', created_at_ms: startMs + 5, slug: 'live', name: 'live' },
    ])
    expect(await sql.all('select written_by, written_at_ms from variable_history')).toMatchObject([
      { written_by: 'user_1', written_at_ms: startMs + 5 },
    ])
  })
})

describe('the revision', () => {
  test('is 1 after the first write and increases with each write that has an entry or an effective delete', async () => {
    const { write } = await opened()
    const revisions = [
      await write({ entries: [secret('A')] }),
      await write({ entries: [secret('A')] }),
      await write({ deletes: ['unknown'] }),
      await write({}),
      await write({ deletes: ['A', 'unknown'] }),
      await write({ deletes: ['A'] }),
      await write({ entries: [secret('A')], deletes: ['unknown'] }),
    ]
    expect(revisions.map(({ revision }) => revision)).toEqual([1, 2, 2, 2, 3, 3, 4])
    expect(revisions[4]?.deleted).toEqual(['A'])
  })

  test('is separate for each stage', async () => {
    const { write } = await opened()
    await write({ entries: [secret('A')] })
    await write({ entries: [secret('A')] })
    expect((await write({ entries: [secret('A')] }, { ...live, stageSlug: 'test' })).revision).toBe(1)
  })

  test('has a row of history for each name that it touched', async () => {
    const { write, sql } = await opened()
    await write({ entries: [secret('A'), secret('B')] })
    await write({ entries: [secret('A')], deletes: ['B', 'unknown'] })
    await write({ deletes: ['unknown'] })
    await write({ entries: [secret('B')], deletes: ['A'] })
    expect(await historyOf(sql)).toEqual(['1 A', '1 B', '2 A', '2 B deleted', '3 A deleted', '3 B'])
  })

  test('can be required: a write at another revision is a conflict and changes nothing', async () => {
    const { write, sql } = await opened()
    await write({ entries: [secret('A')], ifRevision: 0 })
    await write({ entries: [secret('A')], ifRevision: 1 })
    const before = await stateOf(sql)
    for (const ifRevision of [0, 1, 3]) {
      expect(await refusal(write({ entries: [secret('B')], ifRevision }))).toBe(
        `REVISION_CONFLICT: The stage is at revision 2, not ${ifRevision}.`,
      )
      expect(await refusal(write({ ifRevision }))).toContain('REVISION_CONFLICT')
    }
    expect(await stateOf(sql)).toEqual(before)
    expect((await write({ ifRevision: 2 })).revision).toBe(2)
  })

  test('is 0 for a stage that does not exist', async () => {
    const { write } = await opened()
    expect(await refusal(write({ entries: [secret('A')], ifRevision: 1 }))).toBe(
      'REVISION_CONFLICT: The stage is at revision 0, not 1.',
    )
    expect((await write({ ifRevision: 0 })).revision).toBe(0)
  })

  test('is given to one of 30 concurrent writes that require the same revision', async () => {
    const { write } = await opened()
    await write({ entries: [secret('A', 'first')] })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => write({ entries: [secret('A', `${index}`)], ifRevision: 1 })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await write({})).revision).toBe(2)
  })
})

describe('writes that wait together', () => {
  /** Opens a node whose transactions are counted, and can be made to fail. */
  async function watched(plan = unlimited) {
    const { sql, clock } = await newStore()
    const counts = { transactions: 0, flights: 0 }
    let failure: Error | undefined
    const tx: Sql['tx'] = (work, durability) => {
      counts.transactions++
      return sql.tx(async (inner) => {
        const result = await work(inFlights(inner, () => counts.flights++))
        if (failure) throw failure
        return result
      }, durability)
    }
    const node = await newNode(Object.assign(Object.create(sql) as Sql, { tx }), clock, plan)
    await node.write({ entries: [secret('A', 'x'.repeat(500)), secret('B', 'x'.repeat(100))] })
    Object.assign(counts, { transactions: 0, flights: 0 })
    return { ...node, sql, counts, fail: (error?: Error) => void (failure = error) }
  }

  /** Counts how often a transaction sends statements after it has had all answers. */
  function inFlights(tx: Tx, onFlight: () => void): Tx {
    let pending = 0
    return {
      async all<Row>(text: string, ...params: Value[]) {
        if (pending++ === 0) onFlight()
        const rows = await tx.all<Row>(text, ...params)
        await nextTurn()
        pending--
        return rows
      },
      script: (text) => tx.script(text),
    }
  }

  test('share one transaction of one round trip, and each is a revision with its own history', async () => {
    const { write, sql, counts, read } = await watched()
    const results = await Promise.all(
      Array.from({ length: 16 }, (_, index) => write({ entries: [secret('A', `${index}`), secret(`N${index}`)] })),
    )
    expect(counts).toEqual({ transactions: 1, flights: 1 })
    expect(results).toEqual(
      results.map((_, index) => ({ created: [`N${index}`], updated: ['A'], deleted: [], revision: index + 2 })),
    )
    expect((await read())['A']).toEqual(['15'])
    expect(await historyOf(sql)).toEqual([
      '1 A',
      '1 B',
      ...results.flatMap((_, index) => [`${index + 2} A`, `${index + 2} N${index}`]),
    ])
    expect(await sql.all('select revision from audit where names is not null order by seq')).toHaveLength(33)
  })

  test('get the answers that they would get one after the other', async () => {
    const { write, read, sql } = await watched(freePlan(0, 1_000))
    const outcomes = await Promise.allSettled([
      write({ entries: [secret('A', 'one')] }),
      write({ entries: [secret('A', 'two')], ifRevision: 1 }),
      write({ entries: [secret('N', '1', { declaredType: 'int64' })], mode: 'create_only' }),
      write({ entries: [secret('N', '2')], mode: 'create_only' }),
      write({ deletes: ['unknown'] }),
      write({ entries: [secret('N', 'x')] }),
      write({ entries: [secret('C', 'x'.repeat(900))] }),
      write({ entries: [secret('D', 'x'.repeat(600))], deletes: ['B'] }),
      write({ entries: [secret('A', 'three')], ifRevision: 4 }),
      write({ entries: [], deletes: ['A'], ifRevision: 5 }),
    ])
    const texts = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.revision : (outcome.reason as { code: string }).code,
    )
    expect(texts).toEqual([
      2,
      'REVISION_CONFLICT',
      3,
      'INVALID_REQUEST',
      3,
      'INVALID_REQUEST',
      'USAGE_LIMIT_EXCEEDED',
      4,
      5,
      6,
    ])
    expect(await read()).toEqual({ N: ['1'], D: ['x'.repeat(600)] })
    const [row] = await sql.all<{ bytes: number }>('select sum(length(sealed)) as bytes from variables')
    expect(await readMeter(sql, { orgId: 'org_1', meter: 'storage', period: '' })).toBe(row?.bytes)
  })

  test('are refused alone if one of them exceeds the storage, and the others are stored', async () => {
    const { write, ledger } = await watched(freePlan(0, 1_100))
    const sizes = [50, 60, 700, 70]
    const outcomes = await Promise.allSettled(
      sizes.map((size, index) => write({ entries: [secret(`N${index}`, 'x'.repeat(size))] })),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(ledger.counts.settledBytes).toBe(2 * 50 + 600 + 3 * 50 + 50 + 60 + 70)
  })

  test('are stored together or not at all if the store fails, and the next ones continue', async () => {
    const { write, sql, fail } = await watched()
    const before = await stateOf(sql)
    fail(new StoreUnavailable('The database cannot be used at the moment.'))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => write({ entries: [secret(`N${index}`)] })),
    )
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(await stateOf(sql)).toEqual(before)
    fail(undefined)
    expect((await write({ entries: [secret('A')] })).revision).toBe(2)
  })
})

describe('large writes', () => {
  const variables = (count: number) => Array.from({ length: count }, (_, index) => secret(`N${index}`))

  test('let others run between them', async () => {
    const { write } = await opened()
    await write({ entries: [secret('A')] })
    let turns = 0
    const answered = new AbortController()
    const count = async (): Promise<void> => {
      for (; !answered.signal.aborted; turns++) await nextTurn()
    }
    const counting = count()
    const seen = await Promise.all(Array.from({ length: 6 }, () => write({ entries: variables(60) }).then(() => turns)))
    answered.abort()
    await counting
    expect(new Set(seen).size).toBe(6)
  })

  test('seal each value once, although others wait', async () => {
    const { write } = await opened()
    await write({ entries: [secret('A')] })
    const seal = vi.spyOn(Sealer.prototype, 'seal')
    await Promise.all([60, 60, 10, 80, 100].map((count) => write({ entries: variables(count) })))
    expect(seal).toHaveBeenCalledTimes(60 + 60 + 10 + 80 + 100)
    seal.mockRestore()
  })

  test('let others run within them', async () => {
    const { write } = await opened()
    await write({ entries: [secret('A')] })
    // Each is sealed in a slice. Eight rows are a statement, for each of two tables, and 16 statements a slice.
    expect(await turnsDuring(() => write({ entries: variables(512) }))).toBeGreaterThan(512 + (2 * 512) / 8 / 16)
  })
})

describe('an empty write', () => {
  test.each([
    ['nothing', {}],
    ['a delete of an unknown name', { deletes: ['unknown'] }],
  ])('creates nothing: %s', async (_, request) => {
    const { write, sql } = await opened()
    const before = await stateOf(sql)
    expect(await write(request)).toEqual({ created: [], updated: [], deleted: [], revision: 0 })
    expect(await stateOf(sql)).toEqual(before)
  })
})

describe('create_only', () => {
  test('refuses the whole write if one of its entries exists', async () => {
    const { write, sql } = await opened()
    await write({ mode: 'create_only', entries: [secret('A')] })
    const before = await stateOf(sql)
    expect(await refusal(write({ mode: 'create_only', entries: [secret('B'), secret('A')] }))).toBe(
      'INVALID_REQUEST: "A" already exists, and mode is create_only: use mode upsert, or another name.',
    )
    expect(await stateOf(sql)).toEqual(before)
  })

  test('may delete what exists', async () => {
    const { write } = await opened()
    await write({ entries: [secret('A')] })
    const result = await write({ mode: 'create_only', entries: [secret('B')], deletes: ['A'] })
    expect(result).toMatchObject({ created: ['B'], deleted: ['A'], revision: 2 })
  })
})

describe('a declared type', () => {
  test('is checked, and the error names the entry and never its value', async () => {
    const { write, sql } = await opened()
    const before = await stateOf(sql)
    const entries = [secret('OK', '1', { declaredType: 'int64' }), secret('N"', 'canary', { declaredType: 'int64' })]
    expect(await refusal(write({ entries }))).toBe(
      'INVALID_REQUEST: "N\\"" must be a whole number (int64): correct the value, or change the declared type.',
    )
    expect(await stateOf(sql)).toEqual(before)
  })

  test('is checked for both values of a roll', async () => {
    const { write } = await opened()
    const typed = (valueA: string, valueB: string) => [abRoll('R', 0.5, { declaredType: 'boolean', valueA, valueB })]
    expect(await refusal(write({ entries: typed('true', 'no') }))).toContain('must be true or false')
    expect(await refusal(write({ entries: typed('no', 'true') }))).toContain('must be true or false')
    expect((await write({ entries: typed('true', 'false') })).created).toEqual(['R'])
  })

  test('that is omitted is kept, and the new value must match it', async () => {
    const { write, stages } = await opened()
    await write({ entries: [secret('N', '1', { declaredType: 'int64' })] })
    expect(await refusal(write({ entries: [secret('N', 'x')] }))).toContain('must be a whole number (int64)')
    expect(await refusal(write({ entries: [abRoll('N')] }))).toContain('must be a whole number (int64)')
    await write({ entries: [secret('N', '2')] })
    expect((await stages.current(live))?.variables.get('N')).toMatchObject({ declaredType: 'int64' })
    await write({ entries: [secret('N', 'x', { declaredType: 'string' })] })
    expect((await stages.current(live))?.variables.get('N')).toMatchObject({ declaredType: 'string' })
  })

  test('is deleted with its variable', async () => {
    const { write, stages } = await opened()
    await write({ entries: [secret('N', '1', { declaredType: 'int64' })] })
    await write({ deletes: ['N'] })
    await write({ entries: [secret('N', 'x')] })
    expect((await stages.current(live))?.variables.get('N')?.declaredType).toBeUndefined()
  })
})

describe('a variable', () => {
  test('may change its kind, and keeps its creation time', async () => {
    const { write, read, stages, clock } = await opened()
    await write({ entries: [secret('N', 'text')] })
    clock.advance(1_000)
    await write({ entries: [abRoll('N', 0.25)] })
    expect((await stages.current(live))?.variables.get('N')).toMatchObject({
      kind: 'ab_roll',
      attributes: { chance: 0.25 },
      createdAtMs: startMs,
      updatedAtMs: startMs + 1_000,
    })
    expect(await read()).toEqual({ N: ['a', 'b'] })
    await write({ entries: [secret('N', 'text')] })
    expect((await stages.current(live))?.variables.get('N')).toMatchObject({ kind: 'secret', attributes: {} })
    expect(await read()).toEqual({ N: ['text'] })
  })

  test('that is deleted and created again is a new one', async () => {
    const { write, stages, clock } = await opened()
    await write({ entries: [secret('N')] })
    clock.advance(1_000)
    await write({ deletes: ['N'] })
    expect((await write({ entries: [secret('N')] })).created).toEqual(['N'])
    expect((await stages.current(live))?.variables.get('N')).toMatchObject({ createdAtMs: startMs + 1_000 })
  })

  test('keeps its chance exactly', async () => {
    const { write, stages } = await opened()
    const chances = [0, 1, 5e-324, 0.1, 0.30000000000000004, 1 - 2 ** -53]
    await write({ entries: chances.map((chance, index) => abRoll(`N${index}`, chance)) })
    const found = [...((await stages.current(live))?.variables.values() ?? [])].map(
      ({ attributes }) => attributes.chance,
    )
    expect(found).toEqual(chances)
  })

  test('is listed without its values, in code point order', async () => {
    const { write, stages, clock } = await opened()
    await write({ entries: [secret('🚀', 'canary'), secret('\uffff', '1', { declaredType: 'int64' })] })
    clock.advance(7)
    await write({ entries: [abRoll('A', 0.5, { valueA: 'canary' })] })
    const times = (at: number) => ({ createdAtMs: startMs + at, updatedAtMs: startMs + at })
    expect(listVariables(await stages.find(live, noReads), new Map())).toEqual({
      variables: [
        { name: 'A', kind: 'ab_roll', chance: 0.5, ...times(7) },
        { name: '\uffff', kind: 'secret', declaredType: 'int64', ...times(0) },
        { name: '🚀', kind: 'secret', ...times(0) },
      ],
      revision: 2,
    })
    expect(listVariables(await stages.find({ ...live, stageSlug: 'none' }, noReads), new Map())).toEqual({
      variables: [],
      revision: 0,
    })
  })
})

describe('the wire order', () => {
  test('does not depend on the order of rows from the engine', async () => {
    const { sql, clock } = await newStore()
    const reversing: Sql = {
      all: async (...args) => (await sql.all<never>(...args)).toReversed(),
      tx: (...args) => sql.tx(...args),
      atOnce: (send) => sql.atOnce(send),
      alone: (work) => sql.alone(work),
      close: () => sql.close(),
    }
    const { write, stages } = await newNode(reversing, clock)
    const inOrder = ['A', 'B', 'a', '\uffff', '🚀']
    await write({ entries: inOrder.map((name) => secret(name)) })
    expect(listVariables(await stages.find(live, noReads), new Map()).variables.map(({ name }) => name)).toEqual(
      inOrder,
    )
  })
})

describe('billed storage', () => {
  const billed = (sql: Sql) => readMeter(sql, { orgId: 'org_1', meter: 'storage', period: '' })
  const stored = async (sql: Sql): Promise<number> => {
    const [row] = await sql.all<{ bytes: number | null }>('select sum(length(sealed)) as bytes from variables')
    return row?.bytes ?? 0
  }

  test('equals the bytes of the current payloads after each of 120 random writes', async () => {
    const { write, sql, ledger } = await opened()
    const random = seeded(4)
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    const names = Array.from({ length: 12 }, (_, index) => `N${index}`)
    for (let round = 0; round < 120; round++) {
      const shuffled = names.toSorted(() => random() - 0.5)
      const entries = shuffled.slice(0, Math.floor(random() * 4)).map((name) => {
        const value = 'v'.repeat(Math.floor(random() * 300))
        return random() < 0.5 ? secret(name, value) : abRoll(name, random(), { valueA: value, valueB: '' })
      })
      const deletes = shuffled.slice(8, 8 + Math.floor(random() * 4))
      await write(
        { entries, deletes },
        { ...live, stageSlug: pick(['live', 'test']), projectSlug: pick(['shop', 'api']) },
      )
      expect(await billed(sql)).toBe(await stored(sql))
    }
    expect(await stored(sql)).toBeGreaterThan(0)
    expect(ledger.counts.settledBytes).toBe(await stored(sql))
  })

  test('excludes the history', async () => {
    const { write, sql } = await opened()
    for (let times = 0; times < 5; times++) await write({ entries: [secret('A', 'x'.repeat(100))] })
    expect(await billed(sql)).toBe(4 + 46 + 100)
    await write({ deletes: ['A'] })
    expect(await billed(sql)).toBe(0)
  })

  test('at the limit refuses growth, and stores nothing of the write', async () => {
    const { sql, clock } = await newStore()
    const { write, read, ledger } = await newNode(sql, clock, freePlan(0, 1_000))
    await write({ entries: [secret('A', 'x'.repeat(500)), secret('B', 'x'.repeat(400))] })
    const before = await stateOf(sql)
    const elsewhere = { ...live, stageSlug: 'test', projectSlug: 'api' }
    const growing = [
      write({ entries: [secret('C')] }),
      write({ entries: [secret('A', 'x'.repeat(501))] }),
      write({ entries: [secret('A', ''), secret('C', 'x'.repeat(600))], deletes: [] }),
      write({ entries: [secret('C')] }, elsewhere),
    ]
    expect(new Set(await Promise.all(growing.map(refusal)))).toEqual(
      new Set([
        'USAGE_LIMIT_EXCEEDED: The write would exceed the storage limit of the plan, so nothing was stored: delete variables, or change the plan.',
      ]),
    )
    expect(await stateOf(sql)).toEqual(before)
    expect(Object.keys(await read())).toEqual(['A', 'B'])
    expect(ledger.counts).toMatchObject({ settledBytes: 1_000, releasedBytes: 0 })
  })

  test('at the limit allows writes that shrink, keep the size or free enough space', async () => {
    const { sql, clock } = await newStore()
    const { write } = await newNode(sql, clock, freePlan(0, 1_000))
    await write({ entries: [secret('A', 'x'.repeat(500)), secret('B', 'x'.repeat(400))] })
    expect((await write({ entries: [secret('A', 'y'.repeat(500))] })).revision).toBe(2)
    expect((await write({ entries: [secret('C', 'z'.repeat(400))], deletes: ['B'] })).revision).toBe(3)
    expect((await write({ entries: [secret('A', '')] })).revision).toBe(4)
    expect(await billed(sql)).toBe(500)
    expect((await write({ entries: [secret('D', 'x'.repeat(450))] })).revision).toBe(5)
    expect(await billed(sql)).toBe(1_000)
  })

  test('above a lowered limit allows writes that shrink', async () => {
    const { sql, clock } = await newStore()
    await (await newNode(sql, clock)).write({ entries: [secret('A', 'x'.repeat(500)), secret('B')] })
    const { write } = await newNode(sql, clock, freePlan(0, 100))
    expect(await refusal(write({ entries: [secret('C')] }))).toContain('USAGE_LIMIT_EXCEEDED')
    expect((await write({ entries: [secret('A', 'x'.repeat(400))] })).updated).toEqual(['A'])
    expect((await write({ deletes: ['B'] })).deleted).toEqual(['B'])
  })
})

describe('a stage', () => {
  const tooMany = (variables: number) =>
    `INVALID_REQUEST: The stage would have ${variables} variables (maximum 3): delete variables, use another stage, or ask the operator to raise ROLLKEY_STAGE_VARIABLES.`
  const tooLarge = (bytes: string) =>
    `INVALID_REQUEST: The stage would have ${bytes} bytes of sealed values, descriptions, labels, pins and rules (maximum 1,000): delete variables, use another stage, or ask the operator to raise ROLLKEY_STAGE_BYTES.`

  async function bounded(maxSize: Partial<StageSize>) {
    const { sql, clock } = await newStore()
    const all = { variables: 10_000, bytes: 1_000_000, ...maxSize }
    return { sql, clock, ...(await newNode(sql, clock, unlimited, undefined, all)) }
  }

  test('holds the maximum number of variables, and a write beyond it stores nothing', async () => {
    const { write, read, sql } = await bounded({ variables: 3 })
    expect(await refusal(write({ entries: ['A', 'B', 'C', 'D'].map((name) => secret(name)) }))).toBe(tooMany(4))
    await write({ entries: [secret('A'), secret('B'), secret('C')] })
    const before = await stateOf(sql)
    expect(await refusal(write({ entries: [secret('A', 'new'), secret('D')] }))).toBe(tooMany(4))
    expect(await stateOf(sql)).toEqual(before)
    await write({ entries: [secret('A', 'new'), secret('D')], deletes: ['B'] })
    expect(Object.keys(await read())).toEqual(['A', 'C', 'D'])
    expect((await write({ entries: [secret('A')] }, { ...live, stageSlug: 'test' })).created).toEqual(['A'])
  })

  test('holds the maximum number of sealed bytes over all its variables', async () => {
    const { write } = await bounded({ bytes: 1_000 })
    await write({ entries: [secret('A', 'x'.repeat(500)), secret('B', 'x'.repeat(400))] })
    expect(await refusal(write({ entries: [secret('C', '')] }))).toBe(tooLarge('1,050'))
    expect(await refusal(write({ entries: [secret('A', 'x'.repeat(501))] }))).toBe(tooLarge('1,001'))
    await write({ entries: [secret('A', 'y'.repeat(500))] })
    await write({ entries: [secret('A', 'y'.repeat(400)), secret('C', 'x'.repeat(50))] })
  })

  test('counts the bytes of descriptions, which the plan does not bill', async () => {
    const { write, sql } = await bounded({ bytes: 1_000 })
    const described = (name: string, description: string) => ({ ...secret(name, 'x'.repeat(350)), description })
    await write({ entries: [described('A', 'x'.repeat(100)), described('B', 'ü'.repeat(50))] })
    expect(await sql.all("select used from meters where meter = 'storage'")).toMatchObject([{ used: 800 }])
    expect(await refusal(write({ entries: [described('A', 'x'.repeat(101))] }))).toBe(tooLarge('1,001'))
    expect(await refusal(write({ entries: [secret('C', '')] }))).toBe(tooLarge('1,050'))
    await write({ entries: [{ ...secret('A', 'x'.repeat(350)), description: null }, secret('C', 'x'.repeat(50))] })
    expect(await refusal(write({ entries: [described('A', 'x')] }))).toBe(tooLarge('1,001'))
    await write({ entries: [described('A', 'x')], deletes: ['C'] })
  })

  test('does not exceed a limit by a copy or a restore either', async () => {
    const { write, make, stages, sql } = await bounded({ variables: 3 })
    const other = { ...live, stageSlug: 'test' }
    await write({ entries: [secret('A'), secret('B')] })
    await write({ entries: [secret('C'), secret('D')] }, other)
    const copies = new CopyChange({ stages, log: silent })
    expect(await refusal(make(copies.change({ from: live, mayReadTarget: true }, { names: ['A', 'B'] }), other))).toBe(
      tooMany(4),
    )
    await write({ deletes: ['A', 'B'] })
    await write({ entries: [secret('E'), secret('F')] })
    expect(await refusal(make(new RestoreChange(sql).change({ revision: 1, names: ['A', 'B'] })))).toBe(tooMany(4))
    await make(new RestoreChange(sql).change({ revision: 1, names: ['A'] }))
  })

  test('that is already larger can be read, changed in place and shrunk, but not grow', async () => {
    const { sql, clock } = await newStore()
    const names = ['A', 'B', 'C', 'D', 'E']
    await (await newNode(sql, clock)).write({ entries: names.map((name) => secret(name, 'x'.repeat(300))) })
    const { write, read } = await newNode(sql, clock, unlimited, undefined, { variables: 3, bytes: 1_000 })
    expect(Object.keys(await read())).toEqual(names)
    expect(await refusal(write({ entries: [secret('F')] }))).toBe(tooMany(6))
    expect(await refusal(write({ entries: [secret('A', 'x'.repeat(301))] }))).toBe(tooLarge('1,751'))
    await write({ entries: [secret('A', 'y'.repeat(300))] })
    await write({ entries: [secret('F', '')], deletes: ['A'] })
    await write({ deletes: ['B'] })
    expect(Object.keys(await read())).toEqual(['C', 'D', 'E', 'F'])
  })
})

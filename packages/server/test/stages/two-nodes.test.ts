import { describe, expect, test } from 'vitest'
import { sendIn, type Sql } from '../../src/storage/sql.ts'
import { temporaryShared } from '../storage/temporary.ts'
import { live, newNode, newSharedNode, newStore, secret, type Node } from './node.ts'

async function twoNodes(): Promise<{ sql: Sql; nodes: [Node, Node]; fresh: () => Promise<Node> }> {
  const { sql, clock } = await newStore(temporaryShared)
  return {
    sql,
    nodes: [await newSharedNode(sql, clock), await newSharedNode(sql, clock)],
    fresh: () => newSharedNode(sql, clock),
  }
}

describe('two nodes on one database', () => {
  test('lose no write, and give each write a separate revision', async () => {
    const { sql, nodes, fresh } = await twoNodes()
    const writes = Array.from({ length: 60 }, (_, index) =>
      (nodes[index % 2] as Node).write({ entries: [secret(`N${index}`, `${index}`), secret('SHARED', `${index}`)] }),
    )
    const results = await Promise.all(writes)
    const revisions = results.map(({ revision }) => revision)
    expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    const read = await (await fresh()).read()
    const last = revisions.indexOf(60)
    expect(read).toEqual({
      SHARED: [`${last}`],
      ...Object.fromEntries(results.map((_, index) => [`N${index}`, [`${index}`]])),
    })
    expect(await sql.all('select revision from variable_history')).toHaveLength(120)
    expect(await sql.all('select id from projects')).toHaveLength(1)
    expect(await sql.all('select id from stages')).toHaveLength(1)
  })

  test('fill a stage to its limit and never beyond, in any order of writes', async () => {
    const { sql, clock } = await newStore(temporaryShared)
    const maxSize = { variables: 20, bytes: 1_000_000 }
    const nodes = [await newSharedNode(sql, clock, maxSize), await newSharedNode(sql, clock, maxSize)]
    const writes = Array.from({ length: 60 }, (_, index) =>
      (nodes[index % 2] as Node).write({ entries: [secret(`N${index}`)] }),
    )
    const outcomes = await Promise.allSettled(writes)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(await sql.all('select name from variables')).toHaveLength(20)
  })

  test('distinguish created from updated by the store, not by their memory', async () => {
    const { nodes } = await twoNodes()
    const [one, two] = nodes
    await one.write({ entries: [secret('A')] })
    await two.write({ entries: [secret('B')] })
    expect(await one.write({ entries: [secret('B')] })).toMatchObject({ created: [], updated: ['B'], revision: 3 })
  })

  test('keep a declared type that the other node has just set', async () => {
    const { nodes } = await twoNodes()
    const [one, two] = nodes
    await one.write({ entries: [secret('A', '1')] })
    await two.write({ entries: [secret('A', '1', { declaredType: 'int64' })] })
    await expect(one.write({ entries: [secret('A', 'x')] })).rejects.toThrow('must be a whole number (int64)')
  })

  test('keep an attribute that the other node has just set, whichever writes', async () => {
    const { nodes } = await twoNodes()
    const described = (at: number) => ({ exposure: at % 2 ? 'plain' : 'client', description: `${at}` }) as const
    await nodes[0].write({ entries: [secret('A')] })
    for (let at = 0; at < 20; at++) {
      const [one, two] = at % 2 ? nodes : [nodes[1], nodes[0]]
      await one.write({ entries: [secret('A', `${at}`, described(at))] })
      await two.write({ entries: [secret('A', 'without attributes')] })
      const stages = await Promise.all(nodes.map((node) => node.stages.current(live)))
      expect(stages.map((stage) => stage?.variables.get('A')?.attributes)).toEqual([described(at), described(at)])
    }
  })

  test('let one of two conditional writes win', async () => {
    const { nodes } = await twoNodes()
    for (const node of nodes) await node.read()
    await nodes[0].write({ entries: [secret('A', '0')] })
    await nodes[1].read()
    const outcomes = await Promise.allSettled(
      nodes.map((node, index) => node.write({ entries: [secret('A', `${index}`)], ifRevision: 1 })),
    )
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('bill the stored bytes, even when both write the same variable at once', async () => {
    const { sql, nodes } = await twoNodes()
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (nodes[index % 2] as Node).write({
          entries: [secret('A', 'x'.repeat(index * 7)), secret(`N${index % 3}`, 'y'.repeat(index))],
        }),
      ),
    )
    const [row] = await sql.all<{ bytes: number; used: number }>(
      `select (select sum(length(sealed)) from variables) as bytes, used from meters where meter = 'storage'`,
    )
    expect(row?.used).toBe(row?.bytes)
  })

  test('create a project once, with one key, whichever stage comes first', async () => {
    const { sql, nodes, fresh } = await twoNodes()
    const stages = Array.from({ length: 10 }, (_, index) => ({ ...live, stageSlug: `stage-${index}` }))
    await Promise.all(
      stages.map((address, index) => (nodes[index % 2] as Node).write({ entries: [secret('A', `${index}`)] }, address)),
    )
    expect(await sql.all('select id from projects')).toHaveLength(1)
    expect(await sql.all('select id from data_keys where project_id is not null')).toHaveLength(1)
    const reader = await fresh()
    const values = await Promise.all(stages.map(async (address) => (await reader.read(address))['A']))
    expect(values).toEqual(stages.map((_, index) => [`${index}`]))
  })
})

describe('the memory of one of two nodes', () => {
  test('is never used after the other node has changed the stage: 300 alternating writes, each read by both', async () => {
    const { nodes } = await twoNodes()
    for (let turn = 0; turn < 300; turn++) {
      await (nodes[turn % 2] as Node).write({ entries: [secret('A', `${turn}`)] })
      const reads = await Promise.all(nodes.map((node) => node.read()))
      expect(reads).toEqual([{ A: [`${turn}`] }, { A: [`${turn}`] }])
    }
  })

  test('decides no write: a revision from the other node causes no conflict, and its names can be deleted', async () => {
    const { nodes } = await twoNodes()
    const [one, two] = nodes
    await one.write({ entries: [secret('A')] })
    await two.write({ entries: [secret('B')] })
    expect(await one.write({ entries: [secret('C')], ifRevision: 2 })).toMatchObject({ revision: 3 })
    expect(await two.write({ deletes: ['C'] })).toMatchObject({ deleted: ['C'] })
    await expect(one.write({ entries: [secret('B')], mode: 'create_only' })).rejects.toThrow('already exists')
  })
})

describe('a write whose answer is lost', () => {
  test('is visible afterwards if it succeeded', async () => {
    const { sql, clock } = await newStore()
    let loses = false
    // This simulates a connection that breaks between COMMIT and its answer.
    const breaking: Sql = {
      all: (...args) => sql.all(...args),
      atOnce(send) {
        return this.tx((tx) => sendIn(tx, send))
      },
      alone: (work) => sql.alone(work),
      close: () => sql.close(),
      tx: async (...args) => {
        const result = await sql.tx(...args)
        if (loses) throw new Error('connection lost')
        return result
      },
    }
    const node = await newNode(breaking, clock)
    await node.write({ entries: [secret('A', 'old')] })
    loses = true
    await expect(node.write({ entries: [secret('A', 'new')] })).rejects.toThrow('connection lost')
    expect(await node.read()).toEqual({ A: ['new'] })
    loses = false
    expect(await node.write({ entries: [secret('B')], ifRevision: 2 })).toMatchObject({ revision: 3 })
  })
})

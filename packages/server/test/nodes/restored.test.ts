/** The database of two nodes that go on is dropped, and an older backup is restored in its place. They serve what is there. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newUser, type TokenPair } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { EventReader, useFrequentPolls } from '../../testkit/events.ts'
import { newMigratedDatabase } from '../../testkit/postgres.ts'
import { startCluster, type Cluster, type ClusterNode } from './cluster.ts'

useFrequentPolls()

const project = { orgSlug: 'acme', projectSlug: 'shop' }
const at = { ...project, stageSlug: 'live' }

let database: string
let cluster: Cluster
let a: ClusterNode
let b: ClusterNode

beforeAll(async () => {
  const url = await newMigratedDatabase(inject('postgresUrl'))
  database = new URL(url).pathname.slice(1)
  cluster = await startCluster(2, [url, url])
  ;[a, b] = cluster.nodes as [ClusterNode, ClusterNode]
})
afterAll(() => cluster.close())

/** Runs statements as the operator of the server. */
async function operate(...statements: string[]): Promise<void> {
  const client = new Client(inject('postgresUrl'))
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function backUp(): Promise<void> {
  await operate(
    `alter database ${database} with allow_connections false`,
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${database}'`,
    `create database ${database}_backup template ${database}`,
    `alter database ${database} with allow_connections true`,
  )
}

async function restore(): Promise<void> {
  await operate(`drop database ${database} with (force)`, `create database ${database} template ${database}_backup`)
}

async function write({ app: { client } }: ClusterNode, { accessToken: token }: TokenPair, values: object) {
  const entries = Object.entries(values).map(([name, value]) => secret(name, value as string))
  const { status, body } = await client.call('write', { ...at, mode: 'upsert', entries }, { token })
  return status === 200 ? (body.revision as number) : status
}

/** Returns what a node serves. */
async function servedBy({ app: { client } }: ClusterNode, { accessToken: token }: TokenPair) {
  const { variables } = (await client.call('pull', at, { token })).body
  const { value } = (await client.call('evaluate', { ...at, name: 'A' }, { token })).body
  const { projects } = (await client.call('projects', { orgSlug: at.orgSlug }, { token })).body
  return { variables, value, counts: projects?.map((each: { variables: number }) => each.variables) }
}

test('nodes serve what the backup has, although it gives a lost revision to something else', async () => {
  const pair = await a.app.client.login(newUser())
  expect(await write(a, pair, { A: 'first' })).toBe(1)
  await backUp()
  await expect.poll(() => write(a, pair, { A: 'lost', B: 'lost' })).toBe(2)
  const lost = { variables: { A: 'lost', B: 'lost' }, value: 'lost', counts: [2] }
  for (const node of [a, b]) await expect.poll(() => servedBy(node, pair)).toEqual(lost)
  const lostPair = await a.app.client.login(newUser())
  const reader = await EventReader.open(a.app.url, project, pair.accessToken)
  await reader.next()

  await restore()
  await expect.poll(() => write(b, pair, { A: 'kept' })).toBe(2)
  const kept = { variables: { A: 'kept' }, value: 'kept', counts: [1] }
  const seen: unknown[] = []
  const nextOf = async (node: ClusterNode) => {
    const served = await servedBy(node, pair)
    seen.push(served.variables?.A, served.value, ...(served.counts ?? []))
    return served
  }
  for (const node of [a, b]) await expect.poll(() => nextOf(node)).toEqual(kept)
  expect(seen.filter((each) => each === 'lost' || each === 2)).toEqual([])
  expect(await write(a, lostPair, { A: 'refused' })).toBe(401)
  expect(await reader.next()).toMatchObject({ event: 'reset', data: { stageSlug: 'live' } })
  reader.close()
  for (const { app } of [a, b]) {
    await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status).toBe(200)
    const messages = app.log.map((line) => (JSON.parse(line) as { msg: string }).msg)
    const replaced = 'the database was started again or is another one: this node reads everything from it again'
    expect(messages.filter((message) => message === replaced)).toHaveLength(1)
  }
})

/** Kills the process during rotations of data keys, while clients read and write. The next rotation completes the work. */
import { pause } from '../testkit/pause.ts'
import { expect, test } from 'vitest'
import { newUser, TestClient } from '../testkit/client.ts'
import { useFolder } from '../testkit/folder.ts'
import { isLong } from '../testkit/long.ts'
import { runMain, spawnMain, startProcess, type ServerProcess } from '../testkit/process.ts'
import { useProvider } from '../testkit/provider.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { seeded } from '../testkit/random.ts'

const kills = 50
const [readers, writers] = [8, 4]
const user = newUser('rotations')
const at = { orgSlug: user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
const names = Array.from({ length: 500 }, (_, i) => `N${i}`)
const dataDir = useFolder()
const provider = useProvider()

function settings(): Record<string, string> {
  return { ...provider.settings, DATA_DIR: dataDir, RATE_LIMIT_IP: '0' }
}

/** Latest acknowledged value of each writer. Writers count upward. */
const acknowledged = new Map<string, number>()

interface Load {
  isOver: boolean
  reads: number
  /** Answers that differ from the written values. */
  readonly wrong: string[]
}

/** Reads until the load is over. */
async function keepReading(client: TestClient, token: string, load: Load): Promise<void> {
  for (; !load.isOver; load.reads++) {
    const { status, text, body } = await client.call('pull', at, { token })
    // On a busy machine PostgreSQL may not answer within its second.
    if (status === 503 && onPostgres) continue
    const { variables = {} } = body as { variables?: Record<string, string> }
    if (names.some((name) => variables[name] !== `value of ${name}`)) load.wrong.push(`${status} ${text}`)
  }
}

/** Returns the output of the command, once the database answers it. */
async function answerOf(name: string): Promise<unknown> {
  for (;;) {
    const { code, stdout } = await runMain(settings(), name.split(' '))
    if (code === 0) return JSON.parse(stdout)
  }
}

async function keepWriting(client: TestClient, token: string, load: Load, name: string): Promise<void> {
  for (let count = (acknowledged.get(name) ?? 0) + 1; !load.isOver; count++) {
    const body = { ...at, mode: 'upsert', entries: [{ name, kind: 'secret', value: String(count) }] }
    const { status } = await client.call('write', body, { token })
    if (status === 200) acknowledged.set(name, count)
  }
}

/** Kills the process that rotates: on PostgreSQL the command, which is a node itself, otherwise the server. */
async function killInTheMiddle(server: ServerProcess, random: () => number): Promise<void> {
  const client = new TestClient(server.url, provider)
  const token = await provider.tokenOf(user)
  const load: Load = { isOver: false, reads: 0, wrong: [] }
  const working = Promise.allSettled([
    ...Array.from({ length: readers }, () => keepReading(client, token, load)),
    ...Array.from({ length: writers }, (_, writer) => keepWriting(client, token, load, `W${writer}`)),
  ])
  const command = await spawnMain(settings(), ['data-key', 'rotate'])
  const ended = new Promise((resolve) => command.once('exit', resolve))
  while (!(await hasBegun()) && command.exitCode === null) await pause(5)
  await pause(random() * 100)
  if (onPostgres) command.kill('SIGKILL')
  else await server.end('SIGKILL')
  await ended
  load.isOver = true
  await working
  expect(load.wrong).toEqual([])
}

async function hasBegun(): Promise<boolean> {
  return (await query(dataDir, underRetired)).length > 0
}

const underRetired = `select k.id from data_keys k where retired_at_ms is not null`

/** Expects every acknowledged write to be there, and nothing under a retired key after a complete rotation. */
async function expectGoneOn(server: ServerProcess): Promise<void> {
  expect(await answerOf('data-key rotate')).toMatchObject({ unopened: 0 })
  expect(await answerOf('key status')).toMatchObject({ current: 1, retiredInUse: 0 })
  const token = await provider.tokenOf(user)
  const { variables } = await new TestClient(server.url, provider).must('pull', at, { token })
  expect(variables).toMatchObject(Object.fromEntries(names.map((name) => [name, `value of ${name}`])))
  const stored = variables as Record<string, string>
  expect([...acknowledged].filter(([name, count]) => !(Number(stored[name]) >= count))).toEqual([])
}

test.runIf(isLong)(`${kills} rotations are killed under load, and the next one completes`, async () => {
  const random = seeded(1)
  let server = await startProcess(settings())
  const entries = names.map((name) => ({ name, kind: 'secret', value: `value of ${name}` }))
  const token = await provider.tokenOf(user)
  await new TestClient(server.url).must('write', { ...at, mode: 'upsert', entries }, { token })
  for (let round = 0; round < kills; round++) {
    await query(dataDir, 'delete from data_keys where retired_at_ms is not null')
    await query(dataDir, 'update data_keys set created_at_ms = 0 where project_id is not null')
    await killInTheMiddle(server, random)
    server = onPostgres ? server : await startProcess(settings())
    await expectGoneOn(server)
    expect(server.output()).not.toContain('stored value cannot be opened')
  }
  expect(await server.end('SIGTERM')).toBe(0)
})

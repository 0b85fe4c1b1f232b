/** Kills the process with SIGKILL at random points of a load that changes everything that can change, on one data directory. */
import { pause } from '../../testkit/pause.ts'
import { expect, test } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import { TestClient } from '../../testkit/client.ts'
import { useFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { startProcess, type ServerProcess } from '../../testkit/process.ts'
import { useProvider } from '../../testkit/provider.ts'
import { onPostgres, query } from '../../testkit/store.ts'
import { runSeed, seeded } from '../../testkit/random.ts'
import { Load, otherOf } from './load.ts'

const kills = isLong ? 200 : 3
const dataDir = useFolder()
const provider = useProvider()

async function killInTheMiddle(server: ServerProcess, load: Load, random: () => number): Promise<void> {
  const { ended } = await load.run(40 + Math.floor(random() * 160))
  // The delay avoids killing always right after an answer.
  await pause(random() * 20)
  await server.end('SIGKILL')
  // The connection is gone, so fetch throws a TypeError. An answer other than 200 would throw another error.
  for (const client of await ended) expect(client).toMatchObject({ reason: expect.any(TypeError) })
}

/** Expects every acknowledged write, and beyond those only complete writes that were in flight. */
async function expectWritten(client: TestClient, { at, user, written, sentNames }: Load): Promise<void> {
  const { variables } = await client.must('pull', at, { token: await provider.tokenOf(user) })
  const found = new Map(Object.entries(variables as Record<string, string>))
  for (const [name, value] of written) expect(found.get(name)).toBe(value)
  for (const [name, value] of found) {
    expect(sentNames.has(name)).toBe(true)
    expect(found.get(otherOf(name))).toBe(value)
  }
}

/** Expects every answered evaluation to be counted, none that was not sent, and no request key twice. */
async function expectCounted(client: TestClient, load: Load): Promise<void> {
  const { at, user, units, acknowledgedKeys, written } = load
  const counted = await usageOf({ dataDir }, at.orgSlug)
  expect(counted).toBeGreaterThanOrEqual(units.acknowledged)
  expect(counted).toBeLessThanOrEqual(units.sent)
  const token = await provider.tokenOf(user)
  const [name] = written.keys()
  for (const key of acknowledgedKeys) {
    await client.must('evaluate', { ...at, name }, { token, headers: { 'x-service-request-key': key } })
  }
  expect(await usageOf({ dataDir }, at.orgSlug)).toBe(counted)
}

async function expectSessions(client: TestClient, { pairs, approved, exchanged }: Load): Promise<void> {
  for (const { accessToken, refreshToken } of pairs) {
    await client.must('session', {}, { token: accessToken })
    await client.must('tokenRefresh', { refreshToken })
  }
  for (const deviceCode of approved)
    expect(await client.must('devicePoll', { deviceCode })).toHaveProperty('accessToken')
  for (const deviceCode of exchanged) expect((await client.call('devicePoll', { deviceCode })).status).toBe(404)
}

/** Expects every write and every revealed value in the audit log, and one revision of the stage per write. */
async function expectAudited({ at, written, sentNames, reveals }: Load): Promise<void> {
  /** Counts the entries whose action matches a SQL `like` pattern. A write has one entry per effect. */
  const noted = async (like: string, what = 'a.seq'): Promise<number> => {
    const text = `select distinct ${what} from audit a join organizations o on o.id = a.org_id where o.slug = $1 and action like $2`
    return (await query(dataDir, text, at.orgSlug, like)).length
  }
  const writes = await noted('variable.%', 'a.revision')
  expect(2 * writes).toBeGreaterThanOrEqual(written.size)
  expect(2 * writes).toBeLessThanOrEqual(sentNames.size)
  const stage = `select s.revision from stages s join projects p on p.id = s.project_id
    join organizations o on o.id = p.org_id where o.slug = $1`
  expect((await query(dataDir, stage, at.orgSlug)).map(({ revision }) => Number(revision))).toEqual([writes])
  const shown = await noted('reveal')
  expect(shown).toBeGreaterThanOrEqual(reveals.acknowledged)
  expect(shown).toBeLessThanOrEqual(reveals.sent)
}

/** Expects the store to be consistent. */
async function expectSound(): Promise<void> {
  expect(onPostgres ? [] : await query(dataDir, 'pragma integrity_check')).toEqual(
    onPostgres ? [] : [{ integrity_check: 'ok' }],
  )
  const gaps = `select org_id from audit group by org_id having count(*) <> max(seq) - min(seq) + 1`
  expect(await query(dataDir, gaps)).toEqual([])
  const sums = `select m.org_id, m.meter, m.used from meters m where m.used <> case m.meter
      when 'storage' then (select coalesce(sum(length(v.sealed)), 0) from variables v join stages s on s.id = v.stage_id
        join projects p on p.id = s.project_id where p.org_id = m.org_id)
      else (select coalesce(sum(u.evaluations), 0) from usage_days u where u.org_id = m.org_id
        and u.day like m.period || '-%') end`
  expect(await query(dataDir, sums)).toEqual([])
  const byStage = (table: string): string =>
    `select org_id, day, project_id, stage_id, cast(sum(evaluations) as bigint) as used from ${table}
     group by org_id, day, project_id, stage_id`
  expect(await query(dataDir, `${byStage('usage_days')} except ${byStage('usage_callers')}`)).toEqual([])
}

test(`${kills} kills of seed ${runSeed}: what was acknowledged is stored once, nothing is stored in part, and the store is consistent`, async () => {
  const random = seeded(1)
  const loads: Load[] = []
  const settings = { ...provider.settings, DATA_DIR: dataDir, RATE_LIMIT_IP: '0' }
  let server = await startProcess(settings)
  for (let round = 0; round < kills; round++) {
    const load = new Load(new TestClient(server.url, provider), provider, `crash-${round}`)
    loads.push(load)
    await killInTheMiddle(server, load, random)
    server = await startProcess(settings)
    const client = new TestClient(server.url, provider)
    await expectCounted(client, load)
    await expectAudited(load)
    await expectSessions(client, load)
    await expectWritten(client, load)
    await expectSound()
    expect(server.output()).not.toContain('"level":"error"')
  }
  const client = new TestClient(server.url, provider)
  for (const load of loads) await expectWritten(client, load)
  expect(await server.end('SIGTERM')).toBe(0)
  await expectSound()
})

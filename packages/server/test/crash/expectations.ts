/** What a store must have after its service was killed under a load. */
import { expect } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import type { TestClient } from '../../testkit/client.ts'
import type { TestProvider } from '../../testkit/provider.ts'
import { onPostgres, query } from '../../testkit/store.ts'
import { otherOf, type Acknowledged } from './load.ts'

/** The service after a kill. */
export interface Survivor {
  readonly dataDir: string
  readonly client: TestClient
  readonly provider: TestProvider
}

/** Expects every acknowledged write, and beyond those only complete writes that were in flight. */
export async function expectWritten(
  { client, provider }: Survivor,
  { at, user, written, sentNames }: Acknowledged,
): Promise<void> {
  const { variables } = await client.must('pull', at, { token: await provider.tokenOf(user) })
  const found = new Map(Object.entries(variables as Record<string, string>))
  for (const [name, value] of written) expect(found.get(name)).toBe(value)
  for (const [name, value] of found) {
    expect(sentNames.has(name)).toBe(true)
    expect(found.get(otherOf(name))).toBe(value)
  }
}

/** Expects every answered evaluation to be counted, none that was not sent, and no request key twice. */
export async function expectCounted({ client, provider, dataDir }: Survivor, load: Acknowledged): Promise<void> {
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

/** Expects every write and every revealed value in the audit log, and one revision of the stage per write. */
export async function expectAudited(
  { dataDir }: Survivor,
  { at, written, sentNames, reveals }: Acknowledged,
): Promise<void> {
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
export async function expectSound(dataDir: string): Promise<void> {
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

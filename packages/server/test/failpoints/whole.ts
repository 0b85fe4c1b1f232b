/** Invariants that hold for every store at every moment, whatever happened to it. */
import { expect } from 'vitest'
import { onPostgres, query } from '../../testkit/store.ts'

/** Queries that each find rows that contradict each other. */
const contradictions = {
  'a log with a gap': `select h.org_id, h.seq, count(a.seq) as entries from audit_heads h left join audit a on a.org_id = h.org_id
    group by h.org_id, h.seq having count(a.seq) <> h.seq or max(a.seq) <> h.seq`,
  'a storage meter that is not what is stored': `select m.org_id, m.used from meters m where m.meter = 'storage' and m.used <>
    (select coalesce(sum(length(v.sealed)), 0) from variables v join stages s on s.id = v.stage_id
     join projects p on p.id = s.project_id where p.org_id = m.org_id and s.deleted_at_ms is null)`,
  'a month that is not its days': `select m.org_id, m.used from meters m where m.meter = 'evaluations' and m.used <>
    (select coalesce(sum(u.evaluations), 0) from usage_days u where u.org_id = m.org_id and substr(u.day, 1, 7) = m.period)`,
  // A deletion takes the history. A stage that is created again continues after the revision of the deletion.
  'a revision without a change': `select s.id, s.revision from stages s join projects p on p.id = s.project_id
    where s.deleted_at_ms is null and s.revision <> (select count(distinct h.revision) from variable_history h where h.stage_id = s.id)
      + (select coalesce(max(a.revision), 0) from audit a where a.org_id = p.org_id and a.project_slug = p.slug
         and a.stage_slug = s.slug and a.action = 'stage.delete')`,
  'a revision that was not noted': `select s.id, s.revision from stages s join projects p on p.id = s.project_id where s.revision <>
    (select count(distinct a.revision) from audit a where a.org_id = p.org_id and a.project_slug = p.slug and a.stage_slug = s.slug
     and a.action in ('variable.create', 'variable.update', 'variable.delete', 'restore', 'stage.delete'))`,
  'a variable that is not its latest change': `select v.stage_id, v.name from variables v where not exists
    (select 1 from variable_history h where h.stage_id = v.stage_id and h.name = v.name and h.sealed = v.sealed
     and h.facets = v.facets and h.written_by = v.updated_by and h.written_at_ms = v.updated_at_ms and h.revision =
     (select max(i.revision) from variable_history i where i.stage_id = v.stage_id and i.name = v.name))`,
  'a settled change with values': `select c.id from changes c join change_values v on v.change_id = c.id
    where c.state in ('applied', 'withdrawn', 'aborted')`,
  'a change that is not applied once': `select c.id, c.state from changes c where
    case c.state when 'applied' then 1 else 0 end <> (select count(*) from audit a where a.org_id = c.org_id
      and a.action = 'change.apply' and a.subject like '{"changeId":"' || c.id || '"%')`,
  'a project without a key': `select p.id from projects p where p.deleted_at_ms is null and not exists
    (select 1 from data_keys k where k.project_id = p.id)`,
  'a session without exactly one way on': `select s.id, count(t.hash) as ways from sessions s
    left join refresh_tokens t on t.session_id = s.id and t.used_at_ms is null
    where not exists (select 1 from service_tokens v where v.session_id = s.id)
      and not exists (select 1 from client_keys k where k.session_id = s.id) group by s.id having count(t.hash) <> 1`,
  'a session without an access token': `select s.id from sessions s where not exists
    (select 1 from access_tokens t where t.session_id = s.id)`,
  'a code that is exchanged for nothing': `select d.id, d.status from device_codes d
    where (d.status = 'exchanged') <> (d.session_id is not null)`,
}

/** Expects a consistent store. Each organization's latest evaluation events may not be in the tables yet. */
export async function expectWholeStore(dataDir: string): Promise<void> {
  for (const [name, text] of Object.entries(contradictions))
    expect({ [name]: await query(dataDir, text) }).toEqual({ [name]: [] })
  if (onPostgres) return
  expect(await query(dataDir, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(await query(dataDir, 'pragma foreign_key_check')).toEqual([])
}

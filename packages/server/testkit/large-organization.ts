/** An organization with much of everything, made by SQL from a stage with variables. Its copied values cannot be opened. */
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { contentTables } from '../src/storage/deletion.ts'

export interface LargeSize {
  readonly projects: number
  readonly stagesPerProject: number
  readonly auditEntries: number
  readonly usageDays: number
  /** Access tokens that were exchanged for a trust, and no longer work. */
  readonly exchangedTokens: number
  /** Changes that were applied. */
  readonly appliedChanges: number
  /** Past states of the variables of the only stage, 20 a revision, and then as many of its rolls. */
  readonly pastStates: number
  /** Values that changes propose, 20 each. */
  readonly proposedValues: number
}

const callerDays = 62
const rollDays = 30
const msPerDay = 86_400_000

/** A store of a stopped service. */
export interface Filled {
  /** Runs statements, without checking references. */
  exec(text: string): Promise<unknown>
  columnsOf(table: string): Promise<readonly string[]>
  close(): Promise<unknown>
}

export function filledFile(file: string): Filled {
  const db = new DatabaseSync(file)
  db.exec('pragma foreign_keys = off; pragma synchronous = off')
  return {
    exec: async (text) => db.exec(text),
    columnsOf: async (table) =>
      db
        .prepare(`select name from pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => String(name)),
    close: async () => db.close(),
  }
}

export async function filledDatabase(url: string): Promise<Filled> {
  const client = new Client(url)
  await client.connect()
  await client.query('set session_replication_role = replica')
  return {
    exec: (text) => client.query(text),
    async columnsOf(table) {
      const { rows } = await client.query<{ name: string }>(
        'select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = $1',
        [table],
      )
      return rows.map(({ name }) => name)
    },
    async close() {
      // A database that has grown for a year is not about to vacuum all of its rows, or to write all of its pages.
      await client.query('vacuum analyze')
      await client.query('checkpoint')
      await client.end()
    },
  }
}

/**
 * Copies the only stage of a store of a stopped service into projects `p1`, `p2` … with stages `s1`, `s2` …, its last audit entry, usage
 * of each stage and each roll and day until `nowMs`, exchanged tokens, and changes and a history of the only stage. The older half of the
 * audit log has no details.
 */
export async function fillOrganization(store: Filled, size: LargeSize, nowMs: number): Promise<void> {
  const columns = async (table: string, except: readonly string[]): Promise<string> =>
    (await store.columnsOf(table)).filter((name) => !except.includes(name)).join(', ')
  const copies = `from copied join numbers as p on p.i <= ${size.projects} join numbers as s on s.i <= ${size.stagesPerProject}`
  const ofProject = await columns('projects', ['id', 'slug'])
  const ofStage = await columns('stages', ['id', 'project_id', 'slug'])
  const days = Array.from({ length: size.usageDays }, (_, ago) => {
    const day = new Date(nowMs - ago * msPerDay).toISOString().slice(0, 10)
    return `('${day}', ${ago + 1})`
  })
  await store.exec(`begin;
    create temp table numbers (i bigint primary key);
    with recursive counted (i) as (select 1 union all select i + 1 from counted where i < ${size.auditEntries})
      insert into numbers select i from counted;
    create temp table days (day text, i bigint);
    insert into days values ${days.join(', ')};
    create temp table copied as select * from stages;
    insert into projects (id, slug, ${ofProject}) select 'p' || i, 'p' || i, ${ofProject} from projects, numbers where i <= ${size.projects};
    insert into stages (id, project_id, slug, ${ofStage}) select 'copy-' || p.i || '-' || s.i, 'p' || p.i, 's' || s.i, ${ofStage} ${copies};
    create temp table copy as select id as copy_id, project_id, (select org_id from projects limit 1) as org_id from stages where id like 'copy-%';
    insert into usage_days (org_id, project_id, stage_id, day, evaluations) select org_id, project_id, copy_id, day, 7 from copy, days;
    insert into usage_callers (org_id, day, caller, how, project_id, stage_id, evaluations)
      select org_id, day, 'user', 'session', project_id, copy_id, 7 from copy, days where days.i <= ${callerDays};`)
  await store.exec(`insert into roll_days (stage_id, name, day_ms, a, b)
    select stage_id, name, ${nowMs - (nowMs % msPerDay)} - (i - 1) * ${msPerDay}, 7, 7 from variables, numbers where kind = 'ab_roll' and i <= ${rollDays}`)
  for (const table of contentTables) {
    const rest = await columns(table, ['stage_id'])
    await store.exec(
      `insert into ${table} (stage_id, ${rest}) select copy_id, ${rest} from copy, (select * from ${table}) as original order by copy_id`,
    )
  }
  await store.exec(`insert into sessions (id, org_id, user_id, created_at_ms, last_used_at_ms, member_seen_at_ms)
      select 'tok_' || i, (select id from organizations limit 1), 'tru', ${nowMs}, ${nowMs}, ${nowMs}
      from numbers where i <= ${size.exchangedTokens};
    insert into access_tokens (hash, session_id, expires_at_ms) select id, id, ${nowMs} from sessions where id like 'tok%';
    insert into service_tokens (session_id, name, read_only, created_by, trust_id)
      select id, 'ci', 1, 'user', 'tru' from sessions where id like 'tok%';
    insert into changes (id, org_id, stage_id, project_slug, stage_slug, state, reason, content, digest, base_revision, authors,
        proposed_by, proposed_with, proposed_at_ms, updated_at_ms)
      select 'chg_' || i, p.org_id, c.id, p.slug, c.slug, 'applied', '', '{}', '', 1, '[]', 'user', 'cli', ${nowMs} - i, ${nowMs}
      from numbers, copied c join projects p on p.id = c.project_id where i <= ${size.appliedChanges}`)
  if (size.pastStates > 0) await fillHistory(store, columns, size.pastStates)
  if (size.proposedValues > 0) await fillProposals(store, size.proposedValues)
  const ofEntry = await columns('audit', ['seq'])
  await store.exec(`insert into audit (seq, ${ofEntry})
      select seq + i, ${ofEntry} from (select * from audit order by seq desc limit 1) as latest, numbers order by i;
    update audit set how = '', actor = '', client = '', names = null, revision = null, name_count = null
      where seq > 1 and seq < ${size.auditEntries / 2};
    update audit_heads set seq = seq + ${size.auditEntries};
    commit`)
  await store.close()
}

type ColumnsOf = (table: string, except: readonly string[]) => Promise<string>

/** Returns a statement that numbers the states of the only stage that meet a condition, in a table of that name. */
function numberedStates(name: string, condition: string): string {
  return `create temp table ${name} as select row_number() over (order by name) - 1 as place, * from variable_history
      where stage_id in (select id from copied) and ${condition};`
}

/** Gives the only stage revisions after its last one: of all variables in turn, then of the rolls. */
async function fillHistory(store: Filled, columns: ColumnsOf, count: number): Promise<void> {
  const rest = await columns('variable_history', ['stage_id', 'name', 'revision'])
  await store.exec(`${numberedStates('states', 'true')} ${numberedStates('rolls', "kind = 'ab_roll'")}
    insert into variable_history (stage_id, name, revision, ${rest})
      select s.stage_id, s.name, (select revision from copied) + 1 + (n.i - 1) / 20, ${rest}
      from numbers n join states s on s.place = (n.i - 1) % (select count(*) from states) where n.i <= ${count};
    insert into variable_history (stage_id, name, revision, ${rest})
      select s.stage_id, s.name, (select revision from copied) + ${count / 20} + n.i, ${rest}
      from numbers n join rolls s on s.place = (n.i - 1) % (select count(*) from rolls) where n.i <= ${count};
    update stages set revision = revision + ${count / 20 + count} where id in (select id from copied)`)
}

/** Turns applied changes into open ones, each of which deletes 20 variables and has as many values. */
async function fillProposals(store: Filled, values: number): Promise<void> {
  const items = Array.from({ length: 20 }, (_, index) => ({ action: 'delete', name: `N${index}` }))
  await store.exec(`update changes set state = 'open', value_bytes = 20, content = '${JSON.stringify({ items, source: {} })}'
      where id in (select 'chg_' || i from numbers where i <= ${values / 20});
    insert into change_values (change_id, name, stage_id, kind, sealed)
      select 'chg_' || (1 + (i - 1) / 20), 'N' || (i % 20), (select id from copied), 'secret', x'00' from numbers
      where i <= ${values}`)
}

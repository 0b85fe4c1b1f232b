/** An organization with much of everything, made by SQL from a stage with variables. Its copied values cannot be opened. */
import { DatabaseSync } from 'node:sqlite'
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

/**
 * Copies the only stage of a store of a stopped service into projects `p1`, `p2` … with stages `s1`, `s2` …, its last audit entry, usage
 * of each stage and each roll and day until `nowMs`, exchanged tokens, and changes and a history of the only stage. The older half of the
 * audit log has no details.
 */
export function fillOrganization(file: string, size: LargeSize, nowMs: number): void {
  const db = new DatabaseSync(file)
  const columns = (table: string, except: readonly string[]): string => {
    const rows = db.prepare(`select name from pragma_table_info('${table}')`).all() as { name: string }[]
    const names = rows.map(({ name }) => name).filter((name) => !except.includes(name))
    return names.join(', ')
  }
  const copies = `from copied join temp.numbers as p on p.i <= ${size.projects} join temp.numbers as s on s.i <= ${size.stagesPerProject}`
  const ofProject = columns('projects', ['id', 'slug'])
  const ofStage = columns('stages', ['id', 'project_id', 'slug'])
  db.function('day', (ago) => new Date(nowMs - Number(ago) * msPerDay).toISOString().slice(0, 10))
  db.exec(`pragma foreign_keys = off; pragma synchronous = off; begin;
    create temp table numbers (i integer primary key);
    with recursive numbers (i) as (values (1) union all select i + 1 from numbers where i < ${size.auditEntries})
      insert into temp.numbers select i from numbers;
    create temp table days as select day(i - 1) as day, i from temp.numbers where i <= ${size.usageDays};
    create temp table copied as select * from stages;
    insert into projects (id, slug, ${ofProject}) select 'p' || i, 'p' || i, ${ofProject} from projects, temp.numbers where i <= ${size.projects};
    insert into stages (id, project_id, slug, ${ofStage}) select 'copy-' || p.i || '-' || s.i, 'p' || p.i, 's' || s.i, ${ofStage} ${copies};
    create temp table copy as select id as copy_id, project_id, (select org_id from projects limit 1) as org_id from stages where id like 'copy-%';
    insert into usage_days (org_id, project_id, stage_id, day, evaluations) select org_id, project_id, copy_id, day, 7 from copy, days;
    insert into usage_callers (org_id, day, caller, how, project_id, stage_id, evaluations)
      select org_id, day, 'user', 'session', project_id, copy_id, 7 from copy, days where days.i <= ${callerDays};`)
  db.function('ms', (ago) => nowMs - (nowMs % msPerDay) - Number(ago) * msPerDay)
  db.exec(`insert into roll_days (stage_id, name, day_ms, a, b)
    select stage_id, name, ms(i - 1), 7, 7 from variables, temp.numbers where kind = 'ab_roll' and i <= ${rollDays}`)
  for (const table of contentTables) {
    const rest = columns(table, ['stage_id'])
    db.exec(
      `insert into ${table} (stage_id, ${rest}) select copy_id, ${rest} from copy, (select * from ${table}) order by copy_id`,
    )
  }
  db.exec(`insert into sessions (id, org_id, user_id, created_at_ms, last_used_at_ms, member_seen_at_ms)
      select 'tok_' || i, (select id from organizations limit 1), 'tru', ${nowMs}, ${nowMs}, ${nowMs}
      from temp.numbers where i <= ${size.exchangedTokens};
    insert into access_tokens (hash, session_id, expires_at_ms) select id, id, ${nowMs} from sessions where id like 'tok%';
    insert into service_tokens (session_id, name, read_only, created_by, trust_id)
      select id, 'ci', 1, 'user', 'tru' from sessions where id like 'tok%';
    insert into changes (id, org_id, stage_id, project_slug, stage_slug, state, reason, content, digest, base_revision, authors,
        proposed_by, proposed_with, proposed_at_ms, updated_at_ms)
      select 'chg_' || i, p.org_id, c.id, p.slug, c.slug, 'applied', '', '{}', '', 1, '[]', 'user', 'cli', ${nowMs} - i, ${nowMs}
      from temp.numbers, copied c join projects p on p.id = c.project_id where i <= ${size.appliedChanges}`)
  fillHistory(db, columns, size.pastStates)
  fillProposals(db, size.proposedValues)
  const ofEntry = columns('audit', ['seq'])
  db.exec(`insert into audit (seq, ${ofEntry})
      select seq + i, ${ofEntry} from (select * from audit order by seq desc limit 1), temp.numbers order by i;
    update audit set how = '', actor = '', client = '', names = null, revision = null, name_count = null
      where seq > 1 and seq < ${size.auditEntries / 2};
    update audit_heads set seq = seq + ${size.auditEntries};
    commit`)
  db.close()
}

type ColumnsOf = (table: string, except: readonly string[]) => string

/** Returns a statement that numbers the states of the only stage that meet a condition, in a table of that name. */
function numberedStates(name: string, condition: string): string {
  return `create temp table ${name} as select row_number() over (order by name) - 1 as place, * from variable_history
      where stage_id in (select id from copied) and ${condition};`
}

/** Gives the only stage revisions after its last one: of all variables in turn, then of the rolls. */
function fillHistory(db: DatabaseSync, columns: ColumnsOf, count: number): void {
  const rest = columns('variable_history', ['stage_id', 'name', 'revision'])
  db.exec(`${numberedStates('states', 'true')} ${numberedStates('rolls', "kind = 'ab_roll'")}
    insert into variable_history (stage_id, name, revision, ${rest})
      select s.stage_id, s.name, (select revision from copied) + 1 + (n.i - 1) / 20, ${rest}
      from temp.numbers n join states s on s.place = (n.i - 1) % (select count(*) from states) where n.i <= ${count};
    insert into variable_history (stage_id, name, revision, ${rest})
      select s.stage_id, s.name, (select revision from copied) + ${count / 20} + n.i, ${rest}
      from temp.numbers n join rolls s on s.place = (n.i - 1) % (select count(*) from rolls) where n.i <= ${count};
    update stages set revision = revision + ${count / 20 + count} where id in (select id from copied)`)
}

/** Turns applied changes into open ones, each of which deletes 20 variables and has as many values. */
function fillProposals(db: DatabaseSync, values: number): void {
  const items = Array.from({ length: 20 }, (_, index) => ({ action: 'delete', name: `N${index}` }))
  db.exec(`update changes set state = 'open', value_bytes = 20, content = '${JSON.stringify({ items, source: {} })}'
      where id in (select 'chg_' || i from temp.numbers where i <= ${values / 20});
    insert into change_values (change_id, name, stage_id, kind, sealed)
      select 'chg_' || (1 + (i - 1) / 20), 'N' || (i % 20), (select id from copied), 'secret', x'00' from temp.numbers
      where i <= ${values}`)
}

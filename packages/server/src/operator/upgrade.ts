/** The command that reports what a start would upgrade (docs/upgrade.md). */
import { first, type Reader } from '../storage/sql.ts'
import { migrationsSince, newestSchema, schemaVersion } from '../storage/migrate.ts'
import { readStore } from '../storage/read-store.ts'
import { diskNeedOf, lackOfRoom, rehearseUpgrade } from '../storage/upgrade.ts'
import { program } from './command-error.ts'
import { offlineCommand, Report, type Deployment } from './command.ts'

interface UpgradePlan {
  /** Whether a start of this build works. */
  readonly good: boolean
  /** The schema version of the store; 0 if there is none yet. */
  readonly schema: number
  /** The schema version of this build. */
  readonly newestSchema: number
  readonly migrations: readonly string[]
  /** How long the migrations took on a copy of the store; only on the embedded store. */
  readonly rehearsalMs?: number
  readonly backup: string
  readonly problem?: string
}

const onDisk = `A start copies the databases beside them. Also make a backup with ${program} backup create FILE.`
const onPostgres =
  'PostgreSQL is not copied: make a dump or note the moment (docs/backup.md). Restore the dump elsewhere to measure the time.'

/** Returns the schema version of the store, which is 0 for a PostgreSQL database without tables. */
async function presentSchema(sql: Reader, isPostgres: boolean): Promise<number> {
  const table = isPostgres
    ? await first(sql.all<{ name: string | null }>(`select to_regclass('migrations')::text as name`))
    : undefined
  return table?.name === null ? 0 : schemaVersion(sql)
}

/** Returns what a start would do, and changes nothing. */
async function planUpgrade({ config, clock }: Deployment): Promise<UpgradePlan> {
  const { DATA_DIR, DATABASE_URL } = config
  const isPostgres = DATABASE_URL !== undefined
  const sql = await readStore(config)
  const schema = sql ? await presentSchema(sql, isPostgres).finally(() => sql.close()) : 0
  const migrations = migrationsSince(schema).map(({ name }) => name)
  const plan = { good: true, schema, newestSchema: newestSchema(), migrations }
  if (schema === 0 || migrations.length === 0) return { ...plan, backup: 'not needed' }
  if (isPostgres) return { ...plan, backup: onPostgres }
  const problem = lackOfRoom(await diskNeedOf(DATA_DIR))
  if (problem !== undefined) return { ...plan, good: false, backup: onDisk, problem }
  return { ...plan, rehearsalMs: await rehearseUpgrade(DATA_DIR, clock.now()), backup: onDisk }
}

function textOf({ schema, newestSchema: newest, migrations, rehearsalMs, backup, problem }: UpgradePlan): string {
  if (schema === 0)
    return `There is no store yet: a start creates it with schema ${newest}. If you expected one, check ROLLKEY_DATA_DIR and ROLLKEY_DATABASE_URL.\n`
  if (migrations.length === 0) return `Nothing to upgrade: the store has schema ${newest}, that of this version.\n`
  const lines = [
    `A start upgrades the store from schema ${schema} to ${newest}:`,
    ...migrations.map((name) => `  ${name}`),
    ...(rehearsalMs === undefined ? [] : [`It took ${(rehearsalMs / 1_000).toFixed(2)} s on a copy of the store.`]),
    backup,
    ...(problem === undefined ? [] : [problem]),
  ]
  return `${lines.join('\n')}\n`
}

export const upgrade = offlineCommand({
  name: 'upgrade',
  summary: 'Show what a start of this version would upgrade, how long that takes, and what to back up',
  options: [['--check', 'show it and change nothing (the default); a start upgrades']],
  examples: [['upgrade --check', 'before the new version starts; the service may keep running']],
  async runOffline(deployment) {
    const plan = await planUpgrade(deployment)
    return new Report(plan, textOf(plan))
  },
})

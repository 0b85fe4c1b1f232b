/** Files of the data directory, and backups of it. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { lastBackup } from '../backup/last.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

const ofOthers = 0o077
const hour = 60 * 60_000
/** One a day, and some hours late. */
const backupIsOldMs = 30 * hour

function isOthers(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & ofOthers) !== 0
}

export const fileChecks: Checks = {
  'data directory': ({ config: { DATA_DIR } }) => {
    if (!existsSync(DATA_DIR)) return undefined
    const open = ['.', ...readdirSync(DATA_DIR)].filter((name) => isOthers(path.join(DATA_DIR, name)))
    if (open.length === 0) return ok(`${path.resolve(DATA_DIR)} is its owner's alone`)
    return fail(`others may use ${open.join(', ')} of ${DATA_DIR}`, `chmod -R go= ${DATA_DIR}`)
  },
  'backup key': ({ config: { DATABASE_URL, BACKUP_RECIPIENT } }) => {
    if (DATABASE_URL !== undefined) return ok("PostgreSQL's own tools make the backups (docs/backup.md)")
    if (BACKUP_RECIPIENT !== undefined) return ok('set')
    return warn('there is none, so no backup is made', 'backup-key FILE makes one: set ROLLKEY_BACKUP_RECIPIENT.')
  },
  'last backup': ({ clock, config: { DATABASE_URL, BACKUP_RECIPIENT, DATA_DIR } }) => {
    if (DATABASE_URL !== undefined || BACKUP_RECIPIENT === undefined) return undefined
    const last = lastBackup(DATA_DIR)
    const todo = 'Make one every day: the command backup, from cron or a timer.'
    if (!last) return warn('none was made', todo)
    const ageMs = clock.now() - last.atMs
    const found = `${Math.floor(ageMs / hour)} hours ago, ${last.file}`
    return ageMs > backupIsOldMs ? warn(found, todo) : ok(found)
  },
  'place of backups': ({ config: { DATABASE_URL, BACKUP_RECIPIENT, DATA_DIR } }) => {
    const last = DATABASE_URL === undefined && BACKUP_RECIPIENT !== undefined ? lastBackup(DATA_DIR) : undefined
    if (!last) return undefined
    const isBeside = !path.relative(path.resolve(DATA_DIR), last.file).startsWith('..')
    if (!isBeside) return ok('apart from the data directory')
    return warn(
      'in the data directory, with the master key',
      'Keep backups on another machine, and the master key apart.',
    )
  },
}

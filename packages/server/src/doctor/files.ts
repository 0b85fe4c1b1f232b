/** The checks of the data directory and its backups. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { countText } from '../base/count-text.ts'
import { operatorProgram } from '../base/shipped-files.ts'
import { lastBackup } from '../backup/last.ts'
import { namesOpenToOthers } from '../storage/data-directory.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

const hourMs = 60 * 60_000
/** The age at which a backup counts as old: one day plus a few hours of delay. */
const backupIsOldMs = 30 * hourMs

export const fileChecks: Checks = {
  'data directory': ({ config: { DATA_DIR } }) => {
    if (!existsSync(DATA_DIR)) return undefined
    const open = namesOpenToOthers(DATA_DIR)
    if (open.length === 0) return ok(`only its owner can access ${path.resolve(DATA_DIR)}`)
    return fail(`other users can access ${open.join(', ')} in ${DATA_DIR}`, `Run chmod -R go= ${DATA_DIR}`)
  },
  'backup key': ({ config: { DATABASE_URL, BACKUP_RECIPIENT } }) => {
    if (DATABASE_URL !== undefined) return ok('not needed: back up PostgreSQL with its own tools (docs/backup.md)')
    if (BACKUP_RECIPIENT !== undefined) return ok('set')
    return warn(
      'not set, so each backup needs --recipient',
      `Create one with ${operatorProgram} backup new-key FILE, and set ROLLKEY_BACKUP_RECIPIENT.`,
    )
  },
  'last backup': ({ clock, config: { DATABASE_URL, BACKUP_RECIPIENT, DATA_DIR } }) => {
    if (DATABASE_URL !== undefined) return undefined
    const last = lastBackup(DATA_DIR)
    if (!last && BACKUP_RECIPIENT === undefined) return undefined
    const todo = `Run ${operatorProgram} backup create FILE every day, from cron or a timer.`
    if (!last) return warn('none', todo)
    const ageMs = clock.now() - last.atMs
    const found = `${countText(Math.floor(ageMs / hourMs), 'hour')} ago, ${last.file ?? 'to standard output'}`
    return ageMs > backupIsOldMs ? warn(found, todo) : ok(found)
  },
  'backup location': ({ config: { DATABASE_URL, DATA_DIR } }) => {
    const last = DATABASE_URL === undefined ? lastBackup(DATA_DIR) : undefined
    if (last?.file === undefined) return undefined
    const isInside = !path.relative(path.resolve(DATA_DIR), last.file).startsWith('..')
    if (!isInside) return ok('outside the data directory')
    return warn(
      'in the data directory, next to the master key',
      'Keep backups on another machine, apart from the master key.',
    )
  },
}

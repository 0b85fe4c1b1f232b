/** Unpacks a backup and checks all of it, to verify it or to restore it (docs/backup.md). */
import { existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AuditRetention } from '../audit/retention.ts'
import { operatorActorOf } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Progress } from '../base/progress.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { appendAudit } from '../storage/audit.ts'
import { installationKey } from '../storage/keys.ts'
import { everyOrganization } from '../storage/organizations.ts'
import { endEverySession } from '../storage/sessions.ts'
import type { Sql } from '../storage/sql.ts'
import { withWorkFolder } from '../storage/work-folder.ts'
import { archivedFiles, BadBackup, readArchive } from './archive.ts'
import { assertUndamaged, checkBackup, type BackupCheck } from './check.ts'

export interface OpenedStore {
  readonly sql: Sql
  close(): Promise<void>
}

export interface RestoreParts {
  /** The data directory. A backup is unpacked in it. */
  readonly dataDir: string
  readonly clock: Clock
  readonly log: Log
  readonly auditRetention: AuditRetention
  readonly progress: Progress
  /** Opens the embedded store of a folder. */
  openFolder(folder: string): Promise<OpenedStore>
  openKeyring(sql: Sql): Promise<Keyring>
}

interface BackupSource {
  readonly file: string
  /** The secret half of the backup key. */
  readonly identity: string
}

/** A backup that was unpacked and whose content is intact. */
interface UnpackedBackup {
  readonly sql: Sql
  readonly folder: string
  /** Time of the backup, in ISO 8601. */
  readonly madeAt: string
  readonly check: BackupCheck
}

interface BackupVerdict extends BackupCheck {
  readonly madeAt: string
}

/** Runs the work with the store of a folder, which has the key of its installation. Throws BadBackup if it has not. */
export async function withStore<T>(folder: string, parts: RestoreParts, work: (sql: Sql) => Promise<T>): Promise<T> {
  const store = await parts.openFolder(folder)
  try {
    // Without this check, a new master key would be created.
    if (!(await installationKey(store.sql)))
      throw new BadBackup('The backup does not contain the key of an installation.')
    return await work(store.sql)
  } finally {
    await store.close()
  }
}

/**
 * Unpacks a backup next to the store and checks all of it. Runs `inside` with the open backup and `after` with its folder
 * once it is closed. Then deletes the folder. Throws BadBackup.
 */
function withBackup<T>(
  { file, identity }: BackupSource,
  parts: RestoreParts,
  whileOpen: (unpacked: UnpackedBackup) => Promise<T>,
  afterwards: (folder: string) => void = () => {},
): Promise<T> {
  return withWorkFolder(parts.dataDir, async (folder) => {
    const signed = await readArchive(file, identity, folder)
    assertUndamaged(
      signed.manifest.files.map(({ name }) => name),
      folder,
    )
    const madeAt = new Date(signed.manifest.createdAtMs).toISOString()
    const result = await withStore(folder, parts, async (sql) => {
      const keyring = await parts.openKeyring(sql)
      const check = await checkBackup({ ...parts, sql, keyring }, signed, parts.progress)
      return whileOpen({ sql, folder, madeAt, check })
    })
    afterwards(folder)
    return result
  })
}

/** Opens every value of a backup and checks its audit logs. Changes nothing. Throws BadBackup. */
export function verifyBackup(source: BackupSource, parts: RestoreParts): Promise<BackupVerdict> {
  return withBackup(source, parts, async ({ madeAt, check }) => ({ madeAt, ...check }))
}

/**
 * Ends all sessions: anyone who was signed in at the time of the backup may have been signed out since. Records the restore
 * in each audit log. Returns the number of sessions.
 */
export async function endSessions(
  { sql, folder, madeAt }: Pick<UnpackedBackup, 'sql' | 'folder' | 'madeAt'>,
  nowMs: number,
): Promise<number> {
  const ended = await sql.tx(async (tx) => {
    const sessions = await endEverySession(tx, nowMs)
    const facts = { madeAtMs: Date.parse(madeAt) }
    for (const { id } of await everyOrganization(tx)) {
      await appendAudit(tx, operatorActorOf(id), { action: 'backup.restore', nowMs, facts })
    }
    return sessions
  })
  const identityFile = path.join(folder, 'identity.db')
  if (!existsSync(identityFile)) return ended
  const identity = new DatabaseSync(identityFile)
  const identitySessions = identity.prepare('delete from session').run().changes
  identity.exec('delete from verification')
  identity.close()
  return ended + Number(identitySessions)
}

/** Moves the databases into the data directory. The store comes last, because with it the directory counts as filled. */
export function moveInto(dataDir: string, folder: string): void {
  for (const name of archivedFiles.toReversed()) {
    const from = path.join(folder, name)
    if (existsSync(from)) renameSync(from, path.join(dataDir, name))
  }
}

/** Restores a backup to the data directory, which must be locked and have no store. Throws BadBackup. */
export function restoreBackup(
  source: BackupSource,
  parts: RestoreParts,
): Promise<BackupVerdict & { readonly sessionsEnded: number }> {
  return withBackup(
    source,
    parts,
    async (unpacked) => {
      const sessionsEnded = await endSessions(unpacked, parts.clock.now())
      return { madeAt: unpacked.madeAt, ...unpacked.check, sessionsEnded }
    },
    (folder) => moveInto(parts.dataDir, folder),
  )
}

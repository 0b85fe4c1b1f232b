/** Commands that work on a file and not on the store (docs/backup.md, docs/audit.md). */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { auditVerifyFile } from '../admin/audit.ts'
import { CommandRefused } from '../admin/command.ts'
import { identityIn } from '../admin/key-file.ts'
import { archived, BadBackup, readArchive } from '../backup/archive.ts'
import { assertWhole, checkBackup, type BackupCheck } from '../backup/check.ts'
import { operatorOf } from '../storage/actor.ts'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Progress } from '../base/progress.ts'
import { auditRetentionOf, type Config } from '../config.ts'
import { openKeyring } from './keys.ts'
import { appendAudit } from '../storage/audit.ts'
import { installationKey } from '../storage/keys.ts'
import { takeLock } from '../storage/lock.ts'
import { everyOrganization } from '../storage/organizations.ts'
import { endEverySession } from '../storage/sessions.ts'
import { inWorkFolder } from '../storage/work-folder.ts'
import { hasStore, makeFolder, openStore, type Store } from './store.ts'

/** A command that needs no store, or creates one. */
export interface OfflineCommand {
  readonly about: string
  readonly takes: readonly string[]
  /** Runs the command. Returns a JSON value or a Report. Throws CommandRefused. */
  run(args: readonly string[], config: Config, log: Log, progress?: Progress): Promise<unknown>
}

const backupKey: OfflineCommand = {
  about: 'create a backup key: FILE opens backups, the printed public key seals them',
  takes: ['FILE'],
  run: async ([file = '']) => {
    const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
    const identity = await generateX25519Identity()
    const recipient = await identityToRecipient(identity)
    const text = `# This key opens Rollkey backups. Keep it apart from the backups and from the server.\n# public key: ${recipient}\n${identity}\n`
    try {
      writeFileSync(file, text, { mode: 0o600, flag: 'wx', flush: true })
    } catch (error) {
      throw new CommandRefused(`${file} cannot be written as a new file (${(error as NodeJS.ErrnoException).code}).`)
    }
    return { file, set: `ROLLKEY_BACKUP_RECIPIENT=${recipient}` }
  },
}

interface OpenedStore {
  readonly store: Store
  readonly folder: string
  /** Time of the backup, in ISO 8601. */
  readonly madeAt: string
  readonly checked: BackupCheck
}

async function inOpened<T>(folder: string, config: Config, log: Log, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...config, DATA_DIR: folder, DATABASE_URL: undefined }, systemClock, log)
  try {
    // Without this check, a new master key would be created.
    if (!(await installationKey(store.sql)))
      throw new BadBackup('The backup does not contain the key of an installation.')
    return await work(store)
  } finally {
    await store.close()
  }
}

/**
 * Unpacks a backup next to the store and checks all of it. Runs `inside` with the open backup and `after` with its folder
 * once it is closed. Then deletes the folder.
 */
async function withBackup(
  [file = '', keyFile = '']: readonly string[],
  config: Config,
  log: Log,
  {
    inside,
    after,
    progress,
  }: {
    inside: (opened: OpenedStore) => Promise<object>
    after?: (folder: string) => void
    progress: Progress | undefined
  },
): Promise<object> {
  const identity = identityIn(keyFile)
  if (!existsSync(file)) throw new CommandRefused(`There is no file ${file}.`)
  makeFolder(config.DATA_DIR)
  const opening = inWorkFolder(config.DATA_DIR, async (folder) => {
    const signed = await readArchive(file, identity, folder)
    assertWhole(signed, folder)
    const madeAt = new Date(signed.manifest.createdAtMs).toISOString()
    const done = await inOpened(folder, config, log, async (store) => {
      const keyring = await openKeyring({ config, store, clock: systemClock })
      const means = { sql: store.sql, keyring, log, clock: systemClock, auditRetention: auditRetentionOf(config) }
      const checked = await checkBackup(means, signed, progress)
      return { ...checked, ...(await inside({ store, folder, madeAt, checked })) }
    })
    after?.(folder)
    return { madeAt, ...done }
  })
  return opening.catch((error: unknown) => {
    throw error instanceof BadBackup ? new CommandRefused(`${error.message} Nothing was changed.`) : error
  })
}

const verify: OfflineCommand = {
  about: 'verify a backup without changes: unpack it, open every value, check the audit logs',
  takes: ['FILE', 'KEY_FILE'],
  run: (args, config, log, progress) =>
    withBackup(args, config, log, {
      inside: async ({ checked }) => ({ good: checked.auditProblems.length === 0 }),
      progress,
    }),
}

/**
 * Ends all sessions: anyone who was signed in at the time of the backup may have been signed out since. Records the restore
 * in each audit log.
 */
async function endSessions({ store, folder, madeAt }: OpenedStore): Promise<number> {
  const nowMs = systemClock.now()
  const ended = await store.sql.tx(async (tx) => {
    const sessions = await endEverySession(tx, nowMs)
    for (const { id } of await everyOrganization(tx)) {
      await appendAudit(tx, operatorOf(id), { action: 'backup.restore', nowMs, subject: madeAt })
    }
    return sessions
  })
  const identityFile = path.join(folder, 'identity.db')
  if (!existsSync(identityFile)) return ended
  const identity = new DatabaseSync(identityFile)
  const signedIn = identity.prepare('delete from session').run().changes
  identity.exec('delete from verification')
  identity.close()
  return ended + Number(signedIn)
}

/** Moves the files into the data directory. The store comes last, because with it the directory counts as filled. */
function moveInto(dataDir: string, folder: string): void {
  for (const name of archived.toReversed()) {
    const from = path.join(folder, name)
    if (existsSync(from)) renameSync(from, path.join(dataDir, name))
  }
}

const restore: OfflineCommand = {
  about: 'restore a backup to an empty data directory; everyone must sign in again',
  takes: ['FILE', 'KEY_FILE'],
  run: async (args, config, log, progress) => {
    const { DATA_DIR } = config
    if (config.DATABASE_URL !== undefined)
      throw new CommandRefused('A backup can be restored only to the embedded store: unset ROLLKEY_DATABASE_URL.')
    if (hasStore(config)) {
      throw new CommandRefused(
        `${DATA_DIR} already has a store: restore to an empty ROLLKEY_DATA_DIR. Nothing was changed.`,
      )
    }
    makeFolder(DATA_DIR)
    const lock = await takeLock(path.join(DATA_DIR, 'lock.db'))
    if (!lock) throw new CommandRefused(`Another Rollkey uses the data directory ${DATA_DIR}: stop it.`)
    try {
      return await withBackup(args, config, log, {
        inside: async (opened) => ({ restoredTo: DATA_DIR, sessionsEnded: await endSessions(opened) }),
        after: (folder) => moveInto(DATA_DIR, folder),
        progress,
      })
    } finally {
      lock.release()
    }
  },
}

export const offlineCommands: Readonly<Record<string, OfflineCommand>> = {
  'backup-key': backupKey,
  verify,
  restore,
  'audit-verify-file': auditVerifyFile,
}

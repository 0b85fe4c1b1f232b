/** The commands that work on a file instead of on the store: docs/backup.md, docs/audit.md. */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { auditVerifyFile } from '../admin/audit.ts'
import { CommandRefused } from '../admin/command.ts'
import { identityIn } from '../admin/key-file.ts'
import { archived, BadBackup, readArchive } from '../backup/archive.ts'
import { assertWhole, checkBackup, type BackupCheck } from '../backup/check.ts'
import { operatorOf } from '../base/actor.ts'
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

/** A command that needs no store, or makes one. */
export interface OfflineCommand {
  readonly about: string
  readonly takes: readonly string[]
  /** A JSON value, or a Report. Throws CommandRefused. */
  run(args: readonly string[], config: Config, log: Log, progress?: Progress): Promise<unknown>
}

const backupKey: OfflineCommand = {
  about: 'make a backup key: the file opens backups, what is printed seals them',
  takes: ['FILE'],
  run: async ([file = '']) => {
    const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
    const identity = await generateX25519Identity()
    const recipient = await identityToRecipient(identity)
    const text = `# The key that opens backups of Rollkey. Keep it apart from them and from the server.\n# public key: ${recipient}\n${identity}\n`
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
  /** When the backup was made, in ISO 8601. */
  readonly madeAt: string
  readonly checked: BackupCheck
}

async function inOpened<T>(folder: string, config: Config, log: Log, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...config, DATA_DIR: folder, DATABASE_URL: undefined }, systemClock, log)
  try {
    // Without it a new master key would be made.
    if (!(await installationKey(store.sql))) throw new BadBackup('The backup holds no installation.')
    return await work(store)
  } finally {
    await store.close()
  }
}

/**
 * Unpacks a backup beside the store and checks all of it. `inside` works with it, `after` with the folder when it is
 * closed; then what is left of it is deleted.
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
  about: 'restore a backup aside, open every value in it, look at the audit logs; changes nothing',
  takes: ['FILE', 'KEY_FILE'],
  run: (args, config, log, progress) =>
    withBackup(args, config, log, {
      inside: async ({ checked }) => ({ good: checked.auditProblems.length === 0 }),
      progress,
    }),
}

/** Whoever was signed in then may have been signed out since: all sign in again. Each audit log tells of the restore. */
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

/** The store comes last: with it the data directory counts as filled. */
function moveInto(dataDir: string, folder: string): void {
  for (const name of archived.toReversed()) {
    const from = path.join(folder, name)
    if (existsSync(from)) renameSync(from, path.join(dataDir, name))
  }
}

const restore: OfflineCommand = {
  about: 'fill an empty data directory from a backup; everybody signs in again',
  takes: ['FILE', 'KEY_FILE'],
  run: async (args, config, log, progress) => {
    const { DATA_DIR } = config
    if (config.DATABASE_URL !== undefined)
      throw new CommandRefused('A backup is restored to the embedded store: unset ROLLKEY_DATABASE_URL.')
    if (hasStore(config)) {
      throw new CommandRefused(
        `${DATA_DIR} has a store already, and stays as it is: restore into an empty ROLLKEY_DATA_DIR.`,
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

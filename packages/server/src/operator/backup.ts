/** The commands that create, verify and restore backups of the embedded store (docs/backup.md). */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { BadBackup } from '../backup/archive.ts'
import { createBackup } from '../backup/create.ts'
import { recordBackup } from '../backup/last.ts'
import { restoreBackup, verifyBackup, type RestoreParts } from '../backup/restore.ts'
import { reasonOf } from '../base/log.ts'
import type { Progress } from '../base/progress.ts'
import { auditRetentionOf } from '../config.ts'
import { createDataDirectory } from '../storage/data-directory.ts'
import { takeLock } from '../storage/lock.ts'
import { CommandError, program } from './command-error.ts'
import { offlineCommand, Report, storeCommand, type Deployment } from './command.ts'
import { encryptForOption, readIdentity } from './key-file.ts'

const noRecipient =
  'A backup needs a backup key: add --recipient age1…, or set ROLLKEY_BACKUP_RECIPIENT for the service and restart it. backup new-key creates a key and prints both.'
const notEmbedded =
  'This installation stores its data in PostgreSQL: back it up with the tools of PostgreSQL (docs/backup.md).'

export const backupCreate = storeCommand<{ file: string; recipient?: string; piped?: true }>({
  name: 'backup create',
  args: [['<FILE>', 'new file, or - for standard output']],
  pipesFile: true,
  summary: 'Write an encrypted, signed backup to a new file; the service may keep running',
  options: [['--recipient <age1…>', 'backup key to seal it for (default: ROLLKEY_BACKUP_RECIPIENT)']],
  examples: [
    ['backup create rollkey.age --recipient age1…', 'the first one, for a key of `backup new-key`'],
    ['backup create /var/backups/rollkey-$(date +%F).age', 'daily, from a timer'],
    ['backup create - > rollkey.age', 'or to a program that stores it elsewhere'],
  ],
  async afterPipe({ dataDir, clock }) {
    await recordBackup(dataDir, { atMs: clock.now() }).catch(() => {})
  },
  async runOnStore(installation, { file, recipient = installation.backupRecipient, piped }, progress) {
    const { pending, keyring, clock, embeddedFolder } = installation
    if (embeddedFolder === undefined) throw new CommandError('INVALID_SETTING', notEmbedded)
    if (recipient === undefined) throw new CommandError('INVALID_SETTING', noRecipient, 'backup new-key FILE')
    await encryptForOption(recipient, 'backup create') // a wrong key is refused before the work
    if (existsSync(file)) throw new CommandError('FILE_EXISTS', `${file} already exists: choose a new file name.`)
    if (!existsSync(path.dirname(file)))
      throw new CommandError('NOT_WRITTEN', `The folder ${path.dirname(file)} does not exist: create it first.`)
    // The backup then includes all usage counted so far.
    await pending.fold()
    const parts = { dataDir: embeddedFolder, recipient, keyring, clock }
    const bytes = await createBackup(parts, { file, isKept: piped === undefined }, progress).catch((error: unknown) => {
      const message = `The backup failed (${reasonOf(error)}) and its file was removed: try again.`
      throw new CommandError('NOT_WRITTEN', message)
    })
    return { file, bytes, sealedFor: recipient }
  },
})

function firstBackup(recipient: string): string {
  return `${program} backup create rollkey.age --recipient ${recipient}`
}

function newKeyText(file: string, recipient: string, set: string): string {
  return `${file} opens backups: keep it apart from them and from the server.

The first backup, while the service runs:
  ${firstBackup(recipient)}

For daily backups, give the service this setting and restart it; --recipient is not needed then:
  ${set}
`
}

export const backupNewKey = offlineCommand<{ file: string }>({
  name: 'backup new-key',
  args: [['<FILE>', 'new file for the secret half, which opens backups']],
  summary: 'Create a backup key and print its public half, which seals backups',
  examples: [['backup new-key backup.key', 'keep the file apart from the backups and the server']],
  async runOffline(_, { file }) {
    const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
    const identity = await generateX25519Identity()
    const recipient = await identityToRecipient(identity)
    const text = `# This key opens Rollkey backups. Keep it apart from the backups and from the server.\n# public key: ${recipient}\n${identity}\n`
    try {
      writeFileSync(file, text, { mode: 0o600, flag: 'wx', flush: true })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new CommandError(
        code === 'EEXIST' ? 'FILE_EXISTS' : 'NOT_WRITTEN',
        `${file} cannot be written as a new file (${code}): choose another one in a writable folder.`,
      )
    }
    const set = `ROLLKEY_BACKUP_RECIPIENT=${recipient}`
    return new Report({ file, set, try: firstBackup(recipient) }, newKeyText(file, recipient, set))
  },
})

interface BackupInput {
  readonly file: string
  readonly keyFile: string
}

const backupFile = ['<FILE>', 'backup, or - for standard input'] as const
export const keyFileOption = ['--key-file <file>', 'backup key, which `backup new-key` wrote'] as const

/** Runs the work on a backup. Throws CommandError. */
async function withBackupKey<T>(
  deployment: Deployment,
  { file, keyFile }: BackupInput,
  progress: Progress,
  work: (source: { file: string; identity: string }, parts: RestoreParts) => Promise<T>,
): Promise<T> {
  const identity = readIdentity(keyFile)
  if (file !== '-' && !existsSync(file))
    throw new CommandError('NOT_FOUND', `There is no file ${file}: check its name.`)
  const { config } = deployment
  const parts = { ...deployment, dataDir: config.DATA_DIR, auditRetention: auditRetentionOf(config), progress }
  return work({ file, identity }, parts).catch((error: unknown) => {
    throw error instanceof BadBackup ? new CommandError('INVALID_FILE', `${error.message} Nothing was changed.`) : error
  })
}

export const backupVerify = offlineCommand<BackupInput>({
  name: 'backup verify',
  args: [backupFile],
  pipesFile: true,
  summary: 'Verify a backup without changes: unpack it, open every value, check the audit logs',
  required: [keyFileOption],
  examples: [
    ['backup verify rollkey.age --key-file backup.key', 'needs the master key, too'],
    ['backup verify - --key-file backup.key < rollkey.age', 'or from a program that reads it elsewhere'],
  ],
  async runOffline(deployment, input, progress) {
    createDataDirectory(deployment.config.DATA_DIR)
    const verdict = await withBackupKey(deployment, input, progress, verifyBackup)
    return { good: verdict.auditProblems.length === 0, ...verdict }
  },
})

export const backupRestore = offlineCommand<BackupInput>({
  name: 'backup restore',
  args: [backupFile],
  pipesFile: true,
  summary: 'Restore a backup to an empty data directory; everyone must sign in again',
  required: [keyFileOption],
  examples: [
    ['backup restore rollkey.age --key-file backup.key', 'to ROLLKEY_DATA_DIR'],
    ['backup restore - --key-file backup.key < rollkey.age', 'or from a program that reads it elsewhere'],
  ],
  async runOffline(deployment, input, progress) {
    return intoEmptyDirectory(deployment, () => withBackupKey(deployment, input, progress, restoreBackup))
  },
})

/** Returns whether a data directory has a store. */
export function hasStore(dataDir: string): boolean {
  return existsSync(path.join(dataDir, 'rollkey.db'))
}

/** Runs a restore into the data directory, which has no store. Throws CommandError. */
export async function intoEmptyDirectory<T extends object>(
  { config: { DATA_DIR, DATABASE_URL } }: Deployment,
  restore: () => Promise<T>,
): Promise<T & { readonly restoredTo: string }> {
  if (DATABASE_URL !== undefined) {
    const message = 'Only the embedded store can be restored: unset ROLLKEY_DATABASE_URL.'
    throw new CommandError('INVALID_SETTING', message)
  }
  if (hasStore(DATA_DIR)) {
    const message = `${DATA_DIR} already has a store: restore to an empty ROLLKEY_DATA_DIR. Nothing was changed.`
    throw new CommandError('CONFLICT', message)
  }
  createDataDirectory(DATA_DIR)
  const lock = await takeLock(path.join(DATA_DIR, 'lock.db'))
  if (!lock) throw new CommandError('CONFLICT', `Another Rollkey uses the data directory ${DATA_DIR}: stop it.`)
  try {
    return { ...(await restore()), restoredTo: DATA_DIR }
  } finally {
    lock.release()
  }
}

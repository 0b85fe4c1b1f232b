/** The command that backs up the open store (docs/backup.md). */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createBackup } from '../backup/create.ts'
import { reasonOf } from '../base/log.ts'
import { CommandRefused, type AdminCommand } from './command.ts'

const noRecipient =
  'ROLLKEY_BACKUP_RECIPIENT is not set: create a backup key with rollkey-server backup-key FILE, and set what it prints.'
const notEmbedded =
  'This installation stores its data in PostgreSQL: back it up with the tools of PostgreSQL (docs/backup.md).'

export const backup: AdminCommand = {
  about: 'write an encrypted, signed backup of the embedded store to a new file; the server may keep running',
  takes: ['FILE'],
  run: async ({ journal, keyring, clock, embeddedFolder, backupRecipient }, [file = ''], progress) => {
    if (embeddedFolder === undefined) throw new CommandRefused(notEmbedded)
    if (backupRecipient === undefined) throw new CommandRefused(noRecipient)
    if (existsSync(file)) throw new CommandRefused(`${file} already exists: choose a new file name.`)
    if (!existsSync(path.dirname(file)))
      throw new CommandRefused(`The folder ${path.dirname(file)} does not exist: create it first.`)
    // The backup then includes all usage counted so far.
    await journal?.fold()
    const parts = { dataDir: embeddedFolder, recipient: backupRecipient, keyring, clock }
    const bytes = await createBackup(parts, file, progress).catch((error: unknown) => {
      throw new CommandRefused(`The backup failed (${reasonOf(error)}) and its file was removed: try again.`)
    })
    return { file, bytes, sealedFor: backupRecipient }
  },
}

/** The commands about backups that work on the open store: docs/backup.md. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createBackup } from '../backup/create.ts'
import { reasonOf } from '../base/log.ts'
import { CommandRefused, type AdminCommand } from './command.ts'

const noRecipient =
  'There is no ROLLKEY_BACKUP_RECIPIENT to seal a backup for: rollkey-server backup-key FILE makes a backup key and says what to set.'
const notHere = 'PostgreSQL keeps the data, and its own tools back it up: docs/backup.md says how.'

export const backup: AdminCommand = {
  about: 'write a sealed, signed backup of the embedded store to a new file, also while the server runs',
  takes: ['FILE'],
  run: async ({ journal, keyring, clock, embeddedFolder, backupRecipient }, [file = ''], progress) => {
    if (embeddedFolder === undefined) throw new CommandRefused(notHere)
    if (backupRecipient === undefined) throw new CommandRefused(noRecipient)
    if (existsSync(file)) throw new CommandRefused(`${file} is there already: name a new file.`)
    if (!existsSync(path.dirname(file))) throw new CommandRefused(`There is no folder ${path.dirname(file)}.`)
    // What has been counted goes along.
    await journal?.fold()
    const parts = { dataDir: embeddedFolder, recipient: backupRecipient, keyring, clock }
    const bytes = await createBackup(parts, file, progress).catch((error: unknown) => {
      throw new CommandRefused(`The backup could not be made (${reasonOf(error)}): nothing is left of it, try again.`)
    })
    return { file, bytes, sealedFor: backupRecipient }
  },
}

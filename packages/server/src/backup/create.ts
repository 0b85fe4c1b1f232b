import { open, rename, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Progress } from '../base/progress.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { copyDatabase } from '../storage/copy-database.ts'
import { deleteWith, withWorkFolder } from '../storage/work-folder.ts'
import { recordBackup } from './last.ts'
import { archivedFiles, manifestOf, sign, writeArchive } from './archive.ts'

/** The name by which `Keyring.secretFor` gives the secret that signs backups. */
export const signingPurpose = 'backup'

interface BackupParts {
  readonly dataDir: string
  /** The public half of the backup key, age1…. */
  readonly recipient: string
  readonly keyring: Keyring
  readonly clock: Clock
}

interface BackupTarget {
  readonly file: string
  /** Whether the file stays where it is. One that is passed on is noted when its receiver has it. */
  readonly isKept: boolean
}

/**
 * Creates the backup `file` in full or not at all, and returns its size in bytes. Until it is sealed, the copy of the
 * databases stays in the data directory.
 */
export function createBackup(
  { dataDir, recipient, keyring, clock }: BackupParts,
  { file: to, isKept }: BackupTarget,
  progress?: Progress,
): Promise<number> {
  const unfinished = `${to}.unfinished`
  return withWorkFolder(dataDir, async (folder) => {
    const names = archivedFiles.filter((name) => existsSync(path.join(dataDir, name)))
    for (const name of names) await copyDatabase(path.join(dataDir, name), path.join(folder, name))
    const signed = sign(await manifestOf(folder, names, clock.now()), keyring.secretFor(signingPurpose))
    await deleteWith(folder, unfinished)
    const file = await open(unfinished, 'w', 0o600)
    await writeArchive(signed, { folder, recipient, to: file.createWriteStream({ flush: true }) }, progress)
    await rename(unfinished, to)
    // The backup is valid without this note.
    if (isKept) await recordBackup(dataDir, { atMs: clock.now(), file: to }).catch(() => {})
    return (await stat(to)).size
  })
}

/** Opens the store and the services for a command of the operator. */
import type { Installation } from '../operator/command.ts'
import { encryptFor } from '../backup/age.ts'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { auditRetentionOf, type Config } from '../config.ts'
import { publicUrlOf, type Platform } from './platform.ts'
import { ScryptHasher } from '../identity/password-hasher.ts'
import { openStore } from './store.ts'
import { openServices, type AppServices } from './services.ts'

/** Returns what an operator's command works with. `serving` says whether the server runs, and is undefined if unknown. */
export function installationOf(
  { config, store, clock }: Pick<Platform, 'config' | 'store' | 'clock'>,
  services: AppServices,
  serving: boolean | undefined,
): Installation {
  const { DATA_DIR, DATABASE_URL, BACKUP_RECIPIENT } = config
  return {
    sql: store.sql,
    clock,
    ...services,
    embeddedFolder: DATABASE_URL === undefined ? DATA_DIR : undefined,
    backupRecipient: BACKUP_RECIPIENT,
    auditRetention: auditRetentionOf(config),
    hasAuditStream: config.AUDIT_STREAM !== undefined,
    serving,
  }
}

/** Opens the store for a command while no server uses it. Throws an error with a message for the operator. */
export async function openInstallation(
  config: Config,
  log: Log,
): Promise<{ installation: Installation; close: () => Promise<void> }> {
  const clock = systemClock
  await assertRecipient(config)
  const store = await openStore(config, clock, log)
  try {
    const publicUrl = publicUrlOf(config, config.PORT)
    const platform: Platform = { config, log, clock, store, passwordHasher: new ScryptHasher(), publicUrl }
    const services = await openServices(platform)
    const serving = config.DATABASE_URL === undefined ? false : undefined
    const installation = installationOf(platform, services, serving)
    const close = async (): Promise<void> => {
      await services.identity?.close()
      await store.close()
    }
    return { installation, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Checks the backup recipient at start, before the first backup. Throws an error with a message for the operator. */
export async function assertRecipient({ BACKUP_RECIPIENT }: Config): Promise<void> {
  if (BACKUP_RECIPIENT !== undefined) await encryptFor(BACKUP_RECIPIENT, 'ROLLKEY_BACKUP_RECIPIENT')
}

/** Opens the replica that the settings name, and the shipper that fills it. */
import type { Config } from '../config.ts'
import { encryptFor } from '../backup/age.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { StoreFiles } from '../replica/capture.ts'
import { FileTarget } from '../replica/file-target.ts'
import { replicaPurpose } from '../replica/format.ts'
import { Shipper } from '../replica/shipper.ts'
import { parseReplicaUrl } from '../replica/url.ts'
import type { ReplicaTarget } from '../replica/target.ts'
import type { Platform } from './platform.ts'

/** Returns the replica of ROLLKEY_REPLICA_URL, or undefined if it is not set. */
export function replicaTarget({ REPLICA_URL }: Config): ReplicaTarget | undefined {
  const address = REPLICA_URL === undefined ? undefined : parseReplicaUrl(REPLICA_URL)
  return address && new FileTarget(address.folder)
}

/** Returns what ships the open store, or undefined without a replica. */
export async function openReplica(platform: Platform, keyring: Keyring): Promise<Shipper | undefined> {
  const { config, clock, log } = platform
  const target = replicaTarget(config)
  if (!target || config.BACKUP_RECIPIENT === undefined) return undefined
  return new Shipper({
    target,
    files: new StoreFiles(config.DATA_DIR),
    seal: await encryptFor(config.BACKUP_RECIPIENT, 'ROLLKEY_BACKUP_RECIPIENT'),
    secret: keyring.secretFor(replicaPurpose),
    dataDir: config.DATA_DIR,
    days: config.REPLICA_DAYS,
    clock,
    log,
  })
}

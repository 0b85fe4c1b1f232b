/** Opens the replica that the settings name, and the shipper that fills it. */
import type { Config } from '../config.ts'
import { encryptFor } from '../backup/age.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { StoreFiles } from '../replica/capture.ts'
import { FileTarget } from '../replica/file-target.ts'
import { replicaPurpose } from '../replica/format.ts'
import type { Writer } from '../replica/names.ts'
import { S3Target, type S3Credentials } from '../replica/s3-target.ts'
import { Shipper } from '../replica/shipper.ts'
import { parseReplicaUrl } from '../replica/url.ts'
import type { ReplicaTarget } from '../replica/target.ts'
import type { Clock } from '../base/clock.ts'
import type { Platform } from './platform.ts'

/** Returns the replica of ROLLKEY_REPLICA_URL, or undefined if it is not set. */
export function replicaTarget(config: Config, clock: Clock): ReplicaTarget | undefined {
  const { REPLICA_URL, REPLICA_S3_REGION: region, REPLICA_S3_ENDPOINT } = config
  const address = REPLICA_URL === undefined ? undefined : parseReplicaUrl(REPLICA_URL)
  if (!address) return undefined
  if (address.kind === 'file') return new FileTarget(address.folder)
  const endpoint = REPLICA_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`
  return new S3Target({ ...address, endpoint, region, credentials: awsCredentials(region), clock })
}

/** Returns a function that finds credentials where AWS's tools do: the environment, a profile, the pod or the machine. */
function awsCredentials(region: string): () => Promise<S3Credentials> {
  let find: (() => Promise<S3Credentials>) | undefined
  return async () => {
    // The client of AWS KMS has the search. Loading it takes longer than the rest of the start.
    const { KMSClient } = await import('@aws-sdk/client-kms')
    find ??= new KMSClient({ region }).config.credentials
    return find()
  }
}

/** Returns what ships the open store, or undefined without a replica. `writer`: what this process became as a standby. */
export async function openReplica(
  platform: Platform,
  keyring: Keyring,
  writer: Writer | undefined,
): Promise<Shipper | undefined> {
  const { config, clock, log, store } = platform
  const target = replicaTarget(config, clock)
  if (!target || store.shared || config.BACKUP_RECIPIENT === undefined) return undefined
  return new Shipper({
    target,
    files: new StoreFiles(config.DATA_DIR, store),
    seal: await encryptFor(config.BACKUP_RECIPIENT, 'ROLLKEY_BACKUP_RECIPIENT'),
    secret: keyring.secretFor(replicaPurpose),
    dataDir: config.DATA_DIR,
    days: config.REPLICA_DAYS,
    writer,
    clock,
    log,
  })
}

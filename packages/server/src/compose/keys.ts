/** Opens the KMS and the keyring that the settings select. */
import path from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config.ts'
import { Keyring } from '../crypto/keyring.ts'
import { withBreaker } from '../crypto/kms/guarded.ts'
import { eitherKms, type Kms } from '../crypto/kms/kms.ts'
import { localKmsOfFile, localKmsOfSetting } from '../crypto/kms/local.ts'
import { kmsOfUrl } from '../crypto/kms/kms-url.ts'
import type { Platform } from './platform.ts'
import { installationKey } from '../storage/keys.ts'
import type { Store } from './store.ts'

/** Returns the KMS of the master key that the settings name, if any. */
async function configuredKms(config: Config, which: '' | 'PREVIOUS_', clock: Clock): Promise<Kms | undefined> {
  const url = config[`${which}KMS_URL` as const]
  const masterKey = config[`${which}MASTER_KEY` as const]
  if (url !== undefined) return withBreaker(await kmsOfUrl(url, config[`${which}KMS_TOKEN` as const]), clock)
  return masterKey === undefined ? undefined : localKmsOfSetting(masterKey, `ROLLKEY_${which}MASTER_KEY`)
}

async function masterKms(config: Config, isNew: boolean, clock: Clock): Promise<Kms> {
  const kms =
    (await configuredKms(config, '', clock)) ?? localKmsOfFile(path.join(config.DATA_DIR, 'master.key'), isNew)
  const previous = await configuredKms(config, 'PREVIOUS_', clock)
  return previous ? eitherKms(kms, previous) : kms
}

/** Opens the keyring. Throws an error with a message for the operator. */
export async function openKeyring({
  store: { sql },
  config,
  clock,
}: Pick<Platform, 'config' | 'clock'> & { readonly store: Pick<Store, 'sql'> }): Promise<Keyring> {
  const isNew = (await installationKey(sql)) === undefined
  return Keyring.open(sql, await masterKms(config, isNew, clock), clock.now())
}

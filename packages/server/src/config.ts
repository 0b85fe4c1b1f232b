/**
 * Reads the settings. Only this file reads the environment. A setting is read once, validated and frozen. ROLLKEY_…_FILE can
 * name a file that contains a secret.
 */
import { readFileSync } from 'node:fs'
import { needsToken } from './crypto/kms/kms-url.ts'
import { expectedSecret } from './metering/billing/receiver-url.ts'
import { prefix, schema, secrets, settings, type Config } from './settings.ts'

export type { Config } from './settings.ts'

/** Thrown for a wrong setting. The message is for the operator and never quotes a value. */
export class WrongSetting extends Error {}

function fileText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new WrongSetting(`${name}_FILE names a file that cannot be read: check its path and permissions.`)
  }
}

/** Settings of the command line and the SDK, which may be set in the same shell. */
const clientSettings = ['URL', 'ORG', 'PROJECT', 'STAGE', 'TOKEN', 'TOKEN_FILE', 'CONFIG_DIR', 'KEYCHAIN']

/** Returns the ROLLKEY_ settings of the environment by their keys. Reads those that are in files. */
function valuesOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  const known = new Set(settings.map(({ name }) => name))
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || value === undefined) continue
    if (clientSettings.includes(name.slice(prefix.length))) continue
    const base = name.replace(/_FILE$/, '')
    const isFile = base !== name && secrets.includes(base.slice(prefix.length))
    if (!known.has(name) && !isFile)
      throw new WrongSetting(`${name} is not a setting of Rollkey: see docs/settings.md.`)
    if (isFile && environment[base] !== undefined) throw new WrongSetting(`${base} and ${name} are both set: keep one.`)
    values[base.slice(prefix.length)] = isFile ? fileText(base, value) : value
  }
  return values
}

function billingConflict({ BILLING_URL: url, BILLING_SECRET: secret }: Config): string | undefined {
  if (url === undefined && secret === undefined) return undefined
  if (url === undefined) return 'ROLLKEY_BILLING_SECRET needs ROLLKEY_BILLING_URL: set both, or neither.'
  if (secret === undefined) return 'ROLLKEY_BILLING_URL needs ROLLKEY_BILLING_SECRET: set both, or neither.'
  const expected = expectedSecret(url, secret)
  return expected && `ROLLKEY_BILLING_SECRET must be ${expected}.`
}

function kmsConflict(config: Config, which: '' | 'PREVIOUS_'): string | undefined {
  const url = config[`${which}KMS_URL` as const]
  const [urlName, tokenName] = [`${prefix}${which}KMS_URL`, `${prefix}${which}KMS_TOKEN`]
  if (url !== undefined && config[`${which}MASTER_KEY` as const] !== undefined) {
    return `${urlName} and ${prefix}${which}MASTER_KEY are both set: keep one (docs/keys.md explains how to change from one to the other).`
  }
  const isTokenNeeded = url !== undefined && needsToken(url)
  if (isTokenNeeded === (config[`${which}KMS_TOKEN` as const] !== undefined)) return undefined
  return isTokenNeeded
    ? `${urlName} needs ${tokenName}, or ?role=… at its end for the Kubernetes login.`
    : `${tokenName} requires a ${urlName} of Vault without a role: unset it.`
}

/** Returns whether the service accepts tokens that the external provider issued to other applications. */
export function acceptsAnyAudience(config: Config): boolean {
  const { IDP_ISSUER, IDP_AUDIENCE, IDP_AUTHORIZED_PARTIES, IDP_CLIENT_ID } = config
  return (
    IDP_ISSUER !== undefined && (IDP_AUDIENCE ?? IDP_CLIENT_ID) === undefined && IDP_AUTHORIZED_PARTIES.length === 0
  )
}

/** Returns what is wrong with a combination of settings that are each valid. */
function conflictOf(config: Config): string | undefined {
  if (config.WORKERS !== 1 && config.DATABASE_URL === undefined) {
    return 'ROLLKEY_WORKERS needs ROLLKEY_DATABASE_URL: the embedded store belongs to one process.'
  }
  if (config.METRICS_PORT === config.PORT) {
    return 'ROLLKEY_METRICS_PORT and ROLLKEY_PORT are the same port: choose another one, or unset ROLLKEY_METRICS_PORT.'
  }
  return kmsConflict(config, '') ?? kmsConflict(config, 'PREVIOUS_') ?? billingConflict(config)
}

/** Reads the settings. Throws WrongSetting. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const parsed = schema.safeParse(valuesOf(environment))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new WrongSetting(`${prefix}${String(issue?.path[0])} ${issue?.message ?? 'is not valid'}.`)
  }
  const conflict = conflictOf(parsed.data)
  if (conflict !== undefined) throw new WrongSetting(conflict)
  return parsed.data
}

/** Returns how long the details of audit log entries are kept, in days. */
export function auditRetentionOf({ AUDIT_DAYS, AUDIT_FREQUENT_DAYS }: Config): {
  defaultDays: number
  frequentDays: number
} {
  return { defaultDays: AUDIT_DAYS, frequentDays: AUDIT_FREQUENT_DAYS }
}

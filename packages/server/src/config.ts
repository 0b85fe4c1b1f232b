/**
 * Reads the settings. Only this file reads the environment. A setting is read once, validated and frozen. ROLLKEY_…_FILE can
 * name a file that contains a secret.
 */
import { readFileSync } from 'node:fs'
import { closest } from './base/closest.ts'
import { streamTarget } from './audit/stream/stream-url.ts'
import { needsToken } from './crypto/kms/kms-url.ts'
import { expectedSecret } from './metering/billing/receiver-url.ts'
import { companyProviders, type CompanyProvider } from './identity/company/settings.ts'
import { traceSettings, type TraceSettings } from './tracing/settings.ts'
import { prefix, schema, secrets, settings, type Config as Settings } from './settings.ts'

export interface Config extends Settings {
  /** The companies' providers at which people can sign in. */
  readonly COMPANIES: readonly CompanyProvider[]
  /** Where traces are sent. Undefined: nowhere. */
  readonly TRACES: TraceSettings | undefined
  /** Whether the service is a demo, which no setting says. */
  readonly DEMO?: true
}

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
const clientSettings = [
  'URL',
  'ORG',
  'PROJECT',
  'STAGE',
  'TOKEN',
  'TOKEN_FILE',
  'TRUST',
  'ID_TOKEN',
  'ID_TOKEN_FILE',
  'ID_TOKEN_AUDIENCE',
  'INSECURE_HTTP',
  'CONFIG_DIR',
  'KEYCHAIN',
]

/** Returns the ROLLKEY_ settings of the environment by their keys. Reads those that are in files. */
function valuesOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  const known = new Set(settings.map(({ name }) => name))
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || value === undefined) continue
    if (clientSettings.includes(name.slice(prefix.length))) continue
    const base = name.replace(/_FILE$/, '')
    const isFile = base !== name && secrets.includes(base.slice(prefix.length))
    if (name.startsWith(companyPrefix)) continue
    if (!known.has(name) && !isFile) throw unknownSetting(name)
    if (isFile && environment[base] !== undefined) throw new WrongSetting(`${base} and ${name} are both set: keep one.`)
    values[base.slice(prefix.length)] = isFile ? fileText(base, value) : value
  }
  return values
}

function unknownSetting(name: string): WrongSetting {
  const keys = settings.map((setting) => setting.name.slice(prefix.length))
  const [near] = closest([name.slice(prefix.length)], keys)
  const hint = near === undefined ? '' : ` (did you mean ${prefix}${near}?)`
  return new WrongSetting(`${name} is not a setting of Rollkey${hint}: see docs/settings.md.`)
}

/** The prefix of the settings that a provider in ROLLKEY_SIGN_IN has. */
const companyPrefix = `${prefix}SIGN_IN_`

/** Returns the settings of companies' providers by their keys, such as GOOGLE_CLIENT_ID. Reads secrets that are in files. */
function companyValuesOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(companyPrefix) || value === undefined) continue
    const base = name.replace(/_CLIENT_SECRET_FILE$/, '_CLIENT_SECRET')
    const isFile = base !== name
    if (isFile && environment[base] !== undefined) throw new WrongSetting(`${base} and ${name} are both set: keep one.`)
    values[base.slice(companyPrefix.length)] = isFile ? fileText(base, value) : value
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

function mailConflict({ SMTP_URL, MAIL_FROM, IDP_ISSUER }: Config): string | undefined {
  if ((SMTP_URL === undefined) !== (MAIL_FROM === undefined))
    return 'ROLLKEY_SMTP_URL and ROLLKEY_MAIL_FROM need each other: set both, or neither.'
  if (SMTP_URL === undefined || IDP_ISSUER === undefined) return undefined
  return 'ROLLKEY_SMTP_URL needs the embedded identity provider, since an external one keeps the addresses of people: unset it, or ROLLKEY_IDP_ISSUER.'
}

function streamConflict(config: Config): string | undefined {
  const { AUDIT_STREAM: url, AUDIT_STREAM_TOKEN: token, AUDIT_STREAM_REQUIRED: isRequired } = config
  if (url === undefined && isRequired === 'yes')
    return 'ROLLKEY_AUDIT_STREAM_REQUIRED needs ROLLKEY_AUDIT_STREAM: set both, or neither.'
  const target = url === undefined ? undefined : streamTarget(url)
  if (token !== undefined && target?.kind !== 'http')
    return 'ROLLKEY_AUDIT_STREAM_TOKEN needs an https URL in ROLLKEY_AUDIT_STREAM: unset it.'
  if (token === undefined && target?.kind === 'http' && target.isSplunk)
    return 'ROLLKEY_AUDIT_STREAM names a Splunk HTTP Event Collector, which needs ROLLKEY_AUDIT_STREAM_TOKEN: set it.'
  return undefined
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

/** Issuers at which anyone can have an account, so that a token for the right client alone admits everyone. */
const publicIssuers = [
  'https://accounts.google.com',
  'https://gitlab.com',
  'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
]

function identityConflict(config: Config): string | undefined {
  const { IDP_ISSUER, IDP_ORG, IDP_OWNERS, IDP_REQUIRED_CLAIMS, IDP_MEMBERSHIP_URL } = config
  if (IDP_ISSUER !== undefined && config.SIGN_IN.length > 0)
    return 'ROLLKEY_SIGN_IN and ROLLKEY_IDP_ISSUER are both set, but only the embedded provider has accounts to sign in to: keep one.'
  if (IDP_OWNERS.length > 0 && IDP_MEMBERSHIP_URL !== undefined)
    return 'ROLLKEY_IDP_OWNERS and ROLLKEY_IDP_MEMBERSHIP_URL are both set, but the answer of the URL has the roles: keep one.'
  if (IDP_ORG === undefined) return undefined
  if (IDP_ISSUER === undefined)
    return 'ROLLKEY_IDP_ORG needs ROLLKEY_IDP_ISSUER: the embedded provider keeps organizations itself.'
  if (acceptsAnyAudience(config))
    return 'ROLLKEY_IDP_ORG needs ROLLKEY_IDP_CLIENT_ID, ROLLKEY_IDP_AUDIENCE or ROLLKEY_IDP_AUTHORIZED_PARTIES: otherwise everyone with an account for any application of the provider would belong to the organization.'
  if (publicIssuers.includes(IDP_ISSUER) && IDP_REQUIRED_CLAIMS.size === 0 && IDP_MEMBERSHIP_URL === undefined)
    return 'ROLLKEY_IDP_ORG needs ROLLKEY_IDP_REQUIRED_CLAIMS (such as hd=example.com) or ROLLKEY_IDP_MEMBERSHIP_URL: anyone can have an account at this issuer.'
  return undefined
}

const accountKeys = ['SETUP_EMAIL', 'SETUP_ORG', 'SETUP_ORG_NAME', 'SETUP_PASSWORD'] as const

function setupConflict(config: Config): string | undefined {
  const { IDP_ISSUER, SETUP_PASSWORD, SETUP_LINK_PATH } = config
  const present = [...accountKeys, 'SETUP_LINK_PATH' as const].find((key) => config[key] !== undefined)
  if (present !== undefined && IDP_ISSUER !== undefined)
    return `${prefix}${present} and ROLLKEY_IDP_ISSUER are both set, but only the embedded provider has a first account: keep one.`
  if (SETUP_PASSWORD !== undefined && SETUP_LINK_PATH !== undefined)
    return 'ROLLKEY_SETUP_PASSWORD and ROLLKEY_SETUP_LINK_PATH are both set, but with a password there is no link: keep one.'
  const missing = (['SETUP_EMAIL', 'SETUP_ORG'] as const).find((key) => config[key] === undefined)
  if (present === undefined || present === 'SETUP_LINK_PATH' || missing === undefined) return undefined
  return `${prefix}${present} needs ${prefix}${missing}: set both, or neither.`
}

function replicaConflict({ REPLICA_URL, DATABASE_URL, BACKUP_RECIPIENT }: Config): string | undefined {
  if (REPLICA_URL === undefined) return undefined
  if (DATABASE_URL !== undefined)
    return 'ROLLKEY_REPLICA_URL and ROLLKEY_DATABASE_URL are both set, but only the embedded store is shipped: use the tools of PostgreSQL (docs/backup.md), and unset ROLLKEY_REPLICA_URL.'
  if (BACKUP_RECIPIENT === undefined)
    return 'ROLLKEY_REPLICA_URL needs ROLLKEY_BACKUP_RECIPIENT, for which everything is encrypted: set both, or neither.'
  return undefined
}

/** Returns what is wrong with a combination of settings that are each valid. */
function conflictOf(config: Config): string | undefined {
  if (config.WORKERS !== 1 && config.DATABASE_URL === undefined) {
    return 'ROLLKEY_WORKERS needs ROLLKEY_DATABASE_URL: the embedded store belongs to one process.'
  }
  if (config.METRICS_PORT === config.PORT) {
    return 'ROLLKEY_METRICS_PORT and ROLLKEY_PORT are the same port: choose another one, or unset ROLLKEY_METRICS_PORT.'
  }
  return (
    identityConflict(config) ??
    setupConflict(config) ??
    mailConflict(config) ??
    kmsConflict(config, '') ??
    kmsConflict(config, 'PREVIOUS_') ??
    replicaConflict(config) ??
    billingConflict(config) ??
    streamConflict(config)
  )
}

/** Reads the settings. Throws WrongSetting. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const parsed = schema.safeParse(valuesOf(environment))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new WrongSetting(`${prefix}${String(issue?.path[0])} ${issue?.message ?? 'is not valid'}.`)
  }
  const fail = (message: string): Error => new WrongSetting(message)
  const COMPANIES = companyProviders(parsed.data.SIGN_IN, companyValuesOf(environment), fail)
  const config = { ...parsed.data, COMPANIES, TRACES: traceSettings(environment, fail) }
  const conflict = conflictOf(config)
  if (conflict !== undefined) throw new WrongSetting(conflict)
  return Object.freeze(config)
}

/** Settings that a demo takes. The others concern a store, accounts and systems that it must not touch. */
const demoSettings = ['HOST', 'PORT', 'PUBLIC_URL', 'DATA_DIR', 'TRUSTED_PROXIES', 'LOG_LEVEL']

/** Reads the settings of a demo. Throws WrongSetting. */
export function readDemoConfig(environment: NodeJS.ProcessEnv): Config {
  const config = { ...readConfig(environment), TRACES: undefined }
  const taken = [...demoSettings, ...clientSettings].map((key) => prefix + key)
  const other = Object.keys(environment).find((name) => name.startsWith(prefix) && !taken.includes(name))
  if (other === undefined) return config
  const names = demoSettings.map((key) => prefix + key).join(', ')
  throw new WrongSetting(
    `${other} is set, but a demo keeps its data in memory and takes only ${names}: unset it, or start without --demo.`,
  )
}

/** Returns how long the details of audit log entries are kept, in days. */
export function auditRetentionOf({ AUDIT_DAYS, AUDIT_FREQUENT_DAYS }: Config): {
  defaultDays: number
  frequentDays: number
} {
  return { defaultDays: AUDIT_DAYS, frequentDays: AUDIT_FREQUENT_DAYS }
}

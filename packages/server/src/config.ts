/**
 * The settings: the only reader of the environment. Each is named ROLLKEY_ and its key here; a secret can also be given
 * as the path of a file by ROLLKEY_…_FILE. Read once, validated, frozen. `docs/settings.md` is generated from here.
 */
import { readFileSync } from 'node:fs'
import proxyaddr from 'proxy-addr'
import { z } from 'zod'
import { limits } from '@rollkey/contract'
import { isTrustworthyUrl } from './auth/jwks.ts'
import { logLevels } from './base/log.ts'

const prefix = 'ROLLKEY_'
const text = z.string().min(1, 'must not be empty')
const count = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a whole number')
  .transform(Number)
const positive = count.refine((value) => value > 0, 'must be 1 or more')
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
const signUps = ['invitation', 'open'] as const
const plans = ['unlimited', 'free'] as const
const yesOrNo = ['yes', 'no'] as const
const oneOf = (values: readonly string[]): string => `must be one of ${values.join(', ')}`
const proxies = list.refine((addresses) => {
  try {
    proxyaddr.compile(addresses)
    return true
  } catch {
    return false
  }
}, 'must be addresses, ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal')
const providerUrl = text.refine(
  isTrustworthyUrl,
  'must be an https URL (http only for this machine: localhost, 127.0.0.1)',
)

/** A meter of Stripe, or where a receiver is. */
function isBillingUrl(value: string): boolean {
  if (value.startsWith('stripe:')) return /^stripe:[\w.-]{1,100}$/.test(value)
  // Credentials in an address would be refused by fetch.
  return isTrustworthyUrl(value) && new URL(value).username === '' && new URL(value).password === ''
}

const arn = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/
const cryptoKey = /^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/

/** A transit key at Vault, and perhaps the role to log in as. */
function isVaultUrl(value: string): boolean {
  if (!isTrustworthyUrl(value)) return false
  const { pathname, search, hash, username, password } = new URL(value)
  if (!/^(\?role=[\w-]+)?$/.test(search) || `${hash}${username}${password}` !== '') return false
  return /^(\/[\w.-]+){2,}$/.test(pathname)
}

function isKmsUrl(value: string): boolean {
  const [, scheme, rest = ''] = /^([a-z-]+):(.+)$/.exec(value) ?? []
  if (scheme === 'aws-kms') return arn.test(rest)
  if (scheme === 'gcp-kms') return cryptoKey.test(rest)
  return scheme === 'age' || (scheme === 'vault' && isVaultUrl(rest))
}

const kmsUrl = text.refine(
  isKmsUrl,
  'must be aws-kms: and the ARN of a key, gcp-kms:projects/…/cryptoKeys/…, vault: and the https URL of a transit key, or age: and a file (docs/keys.md)',
)

function isPostgresUrl(value: string): boolean {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol)
}

const schema = z
  .object({
    HOST: text.default('127.0.0.1').describe('Address to listen at. 0.0.0.0 serves other machines too.'),
    PORT: count
      .refine((port) => port <= 65_535, 'must be a port, 0 to 65535')
      .prefault('8787')
      .describe('Port to listen at; 0 takes a free one.'),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .refine((url) => new URL(url).origin === url, 'must be like https://rollkey.example.com, without a path')
      .optional()
      .describe('Address that people reach the service at, without a path. Absent: made of HOST and PORT.'),
    DATA_DIR: text
      .default('./data')
      .describe(
        'Folder of the embedded database with its usage journal, lock and administration socket, and of the master key file.',
      ),
    DATABASE_URL: text
      .refine(isPostgresUrl, 'must look like postgres://user:password@host:5432/database')
      .optional()
      .describe('PostgreSQL, 14 or newer, that any number of nodes share. Absent: the embedded store in DATA_DIR.'),
    DATABASE_CONNECTIONS: positive
      .prefault('10')
      .describe('Most connections of a node to PostgreSQL for its transactions; it opens up to 7 more for the rest.'),
    WORKERS: count
      .prefault('1')
      .describe('Processes that serve on this machine, with PostgreSQL only; 0: as many as it has cores.'),
    MASTER_KEY: text
      .optional()
      .describe(
        'Master key, 32 bytes in base64. Absent: that of KMS_URL, or the file master.key in DATA_DIR, made at the first start.',
      ),
    PREVIOUS_MASTER_KEY: text
      .optional()
      .describe('Another master key that opens what it has sealed, while the master key is changed (docs/keys.md).'),
    KMS_URL: kmsUrl
      .optional()
      .describe(
        'Master key that is kept elsewhere: aws-kms:ARN, gcp-kms:NAME, vault:URL of a transit key, age:FILE (docs/keys.md).',
      ),
    KMS_TOKEN: text.optional().describe('Token for the Vault of KMS_URL.'),
    PREVIOUS_KMS_URL: kmsUrl.optional().describe('The same as PREVIOUS_MASTER_KEY, for one that is kept elsewhere.'),
    PREVIOUS_KMS_TOKEN: text.optional().describe('Token for the Vault of PREVIOUS_KMS_URL.'),
    IDP_ISSUER: providerUrl
      .optional()
      .describe('Issuer of the OpenID provider. Absent: the embedded one, with accounts of its own.'),
    IDP_JWKS_URL: providerUrl.optional().describe("Address of the provider's keys. Absent: found by discovery."),
    IDP_AUDIENCE: text
      .optional()
      .describe(
        'Audience (aud) that provider tokens must name. With neither this nor IDP_AUTHORIZED_PARTIES, tokens must name IDP_CLIENT_ID, as audience or party.',
      ),
    IDP_AUTHORIZED_PARTIES: list
      .prefault('')
      .describe(
        'Authorized parties (azp, else client_id) of which provider tokens must name one, with commas. Absent: any.',
      ),
    IDP_ORG_ID_CLAIM: text
      .default('org_id')
      .describe("Claim of the organization's id, a dotted path; o.id is understood too."),
    IDP_ORG_SLUG_CLAIM: text
      .default('org_slug')
      .describe("Claim of the organization's slug, a dotted path; o.slg is understood too."),
    IDP_CLIENT_ID: text
      .optional()
      .describe(
        'Client of the web application at the outside provider: public, with PKCE, returning to PUBLIC_URL/auth/callback. Absent: no sign-in there.',
      ),
    IDP_SCOPES: text
      .default('openid profile')
      .describe('Scopes, with blanks, that the web application asks the outside provider for.'),
    IDP_MEMBERSHIP_URL: providerUrl
      .optional()
      .describe(
        'Where to ask whether a user is still a member: a template with {orgId} and {userId}; 2xx: yes, 404: no. Absent: removals go unnoticed.',
      ),
    IDP_MEMBERSHIP_TOKEN: text.optional().describe('Bearer token for IDP_MEMBERSHIP_URL.'),
    SIGN_UP: z
      .enum(signUps, oneOf(signUps))
      .default('invitation')
      .describe('Who may create an account at the embedded provider: whoever has an invitation, or anybody (open).'),
    ORGANIZATIONS_PER_PERSON: count
      .prefault('3')
      .describe(
        'Maximum number of organizations that one person may own at the embedded provider before they can create no more; 0 = unlimited.',
      ),
    TRUSTED_PROXIES: proxies
      .prefault('loopback')
      .describe(
        'Reverse proxies whose X-Forwarded-For is believed, with commas: it tells clients apart for rate limits.',
      ),
    RATE_LIMIT_REQUESTS: count
      .prefault('12000')
      .describe(
        'Requests a minute of one caller, evaluations not counted; 0: as many as come (docs/api.md, "Rate limits").',
      ),
    RATE_LIMIT_EVALUATIONS: count
      .prefault('0')
      .describe('Evaluations a minute of one caller: evaluate, batch and pull; 0: as many as come.'),
    RATE_LIMIT_IP: count
      .prefault('1200')
      .describe(
        'Logins that one address may start a minute; also twice as many requests to the embedded provider, ten times as many with credentials that nobody has, and a hundred times as many without one; 0: as many as come.',
      ),
    RATE_LIMIT_EXPENSIVE: count
      .prefault('600')
      .describe(
        'Expensive reads per caller and minute: search, history, digests, roll counts, audit log, usage; 0 = unlimited (docs/api.md, "Rate limits").',
      ),
    MAX_CONNECTIONS: positive
      .prefault('10000')
      .describe(
        'Maximum connections of a node. For a further one, the longest idle connection is closed, if it is idle for a second.',
      ),
    MAX_CONNECTIONS_PER_IP: positive
      .prefault('1000')
      .describe('Maximum connections from one IP address; those from TRUSTED_PROXIES count only for MAX_CONNECTIONS.'),
    MAX_PENDING_BODY_BYTES: positive
      .prefault('268435456')
      .describe('Maximum bytes of request bodies that a node holds while their requests are under way.'),
    MAX_PENDING_BODY_BYTES_PER_IP: positive
      .prefault('33554432')
      .describe('Maximum bytes of request bodies under way from one IP address, TRUSTED_PROXIES excepted.'),
    MAX_UNREAD_BYTES: positive
      .prefault('268435456')
      .describe('Maximum bytes of answers that a node holds for clients that have not read them yet.'),
    MAX_UNREAD_BYTES_PER_CALLER: positive
      .prefault('67108864')
      .describe('Maximum bytes of unread answers of one caller or, without a credential, of one IP address.'),
    MAX_PENDING_LOGINS_PER_IP: positive
      .prefault('100')
      .describe(
        'Maximum logins of command-line clients that one IP address has started and that are not approved yet.',
      ),
    PASSWORD_HASHES: count
      .prefault('0')
      .describe(
        'Maximum number of passwords that a process hashes at once for the embedded provider; 16 times as many wait, and further ones are refused (429). 0: one less than the cores of the machine, divided by WORKERS; at least 1, at most 4.',
      ),
    MAX_STREAMS_PER_CREDENTIAL: positive
      .prefault('10')
      .describe('Maximum event streams of one credential from one IP address; for provider tokens, of one user.'),
    METRICS_TOKEN: text.optional().describe('Bearer token that /metrics requires. Absent: no token is required.'),
    METRICS_PORT: count
      .refine((port) => port > 0 && port <= 65_535, 'must be a port, 1 to 65535')
      .optional()
      .describe('Separate port for /metrics, which PORT then does not serve. Absent: PORT serves it.'),
    PLAN: z.enum(plans, oneOf(plans)).default('unlimited').describe('Plan of every organization.'),
    FREE_EVALUATIONS: count.prefault('100000').describe('Billing events a UTC month of the free plan.'),
    FREE_STORAGE_BYTES: count.prefault('25000000').describe('Bytes of sealed values of the free plan.'),
    SERVICE_TOKEN_DAYS: positive
      .refine((days) => days <= limits.serviceTokenDays, `must be at most ${limits.serviceTokenDays}`)
      .prefault(String(limits.serviceTokenDays))
      .describe('Maximum lifetime of a new service token, in days. Tokens that exist keep theirs.'),
    STAGE_VARIABLES: positive
      .prefault(String(limits.stageVariables))
      .describe('Maximum number of variables in a stage. A stage that already has more stays readable and may shrink.'),
    STAGE_BYTES: positive
      .prefault(String(limits.stageBytes))
      .describe(
        'Maximum bytes of sealed values in a stage. A stage that already has more stays readable and may shrink.',
      ),
    HISTORY_DAYS: count.prefault('90').describe('Days that superseded revisions are kept.'),
    AUDIT_REQUIRED: z
      .enum(yesOrNo, oneOf(yesOrNo))
      .default('yes')
      .describe(
        'Whether what people do at the embedded provider is refused (503) while the audit log cannot be written; no: it is done, and the log has an error line. All else is refused in any case.',
      ),
    AUDIT_DAYS: count.prefault('400').describe('Days that the details of entries of the audit log are kept.'),
    AUDIT_FREQUENT_DAYS: count
      .prefault('90')
      .describe('The same for entries that come by themselves: refreshed sessions, refusals (docs/audit.md).'),
    BACKUP_RECIPIENT: text
      .regex(
        /^age1[0-9a-z]{10,}$/,
        'must be the public half of a backup key, age1…: rollkey-server backup-key makes one',
      )
      .optional()
      .describe('Public half of the backup key (docs/backup.md). Absent: no backups of the embedded store are made.'),
    BILLING_URL: text
      .refine(
        isBillingUrl,
        'must be stripe: and the event name of a meter, or an https URL (http only for this machine: localhost, 127.0.0.1)',
      )
      .optional()
      .describe(
        'Outside billing system that is told of the usage: stripe:EVENT_NAME of a meter, or the https URL of a receiver of signed messages (docs/billing.md). Absent: none.',
      ),
    BILLING_SECRET: text
      .optional()
      .describe("Secret or restricted key of Stripe, or the receiver's signing secret: whsec_ and base64."),
    CORS_ORIGINS: list.prefault('*').describe('Origins whose pages may read answers, with commas; * for all.'),
    LOG_LEVEL: z
      .enum(logLevels, oneOf(logLevels))
      .default('info')
      .describe('Least level that is logged; debug logs every request.'),
  })
  .readonly()

const secrets = [
  'DATABASE_URL',
  'MASTER_KEY',
  'PREVIOUS_MASTER_KEY',
  'KMS_TOKEN',
  'PREVIOUS_KMS_TOKEN',
  'IDP_MEMBERSHIP_TOKEN',
  'BILLING_SECRET',
  'METRICS_TOKEN',
]

export type Config = z.output<typeof schema>

/** One row a setting, for the documentation. */
export const settings = Object.entries(schema.unwrap().shape).map(([key, type]) => {
  const parsed = type.safeParse(undefined)
  const byDefault = parsed.success ? parsed.data : undefined
  return {
    name: prefix + key,
    about: type.description ?? '',
    byDefault: byDefault === undefined ? '' : String(byDefault),
    fromFile: secrets.includes(key),
  }
})

/** A setting that is wrong: a sentence for the operator that never quotes a value. */
export class WrongSetting extends Error {}

function fileText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new WrongSetting(`${name}_FILE names a file that cannot be read.`)
  }
}

/** Settings of the command line and the SDK, which a shell may have set for them. */
const settingsOfClients = ['URL', 'ORG', 'PROJECT', 'STAGE', 'TOKEN', 'TOKEN_FILE', 'CONFIG_DIR', 'KEYCHAIN']

/** The ROLLKEY_ settings of the environment by their keys, those of files read. */
function valuesOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  const known = new Set(settings.map(({ name }) => name))
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || value === undefined) continue
    if (settingsOfClients.includes(name.slice(prefix.length))) continue
    const base = name.replace(/_FILE$/, '')
    const isFile = base !== name && secrets.includes(base.slice(prefix.length))
    if (!known.has(name) && !isFile)
      throw new WrongSetting(`${name} is not a setting of Rollkey; see docs/settings.md.`)
    if (isFile && environment[base] !== undefined) throw new WrongSetting(`${base} and ${name} are both set; keep one.`)
    values[base.slice(prefix.length)] = isFile ? fileText(base, value) : value
  }
  return values
}

function billingConflict({ BILLING_URL, BILLING_SECRET }: Config): string | undefined {
  if (BILLING_URL === undefined && BILLING_SECRET === undefined) return undefined
  if (BILLING_URL === undefined) return 'ROLLKEY_BILLING_SECRET needs ROLLKEY_BILLING_URL: set both, or neither.'
  if (BILLING_SECRET === undefined) return 'ROLLKEY_BILLING_URL needs ROLLKEY_BILLING_SECRET: set both, or neither.'
  if (BILLING_URL.startsWith('stripe:')) {
    if (/^[sr]k_\w+$/.test(BILLING_SECRET)) return undefined
    return 'ROLLKEY_BILLING_SECRET must be a secret or restricted key of Stripe (sk_…, rk_…) for this ROLLKEY_BILLING_URL.'
  }
  if (/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(BILLING_SECRET)) return undefined
  return 'ROLLKEY_BILLING_SECRET must be whsec_ and 24 to 64 bytes in base64: echo "whsec_$(openssl rand -base64 32)" makes one.'
}

function kmsConflict(config: Config, which: '' | 'PREVIOUS_'): string | undefined {
  const url = config[`${which}KMS_URL` as const]
  const [urlName, tokenName] = [`${prefix}${which}KMS_URL`, `${prefix}${which}KMS_TOKEN`]
  if (url !== undefined && config[`${which}MASTER_KEY` as const] !== undefined) {
    return `${urlName} and ${prefix}${which}MASTER_KEY are both set: keep one (docs/keys.md tells how to go from one to the other).`
  }
  const needsToken = url?.startsWith('vault:') === true && !url.includes('?role=')
  if (needsToken === (config[`${which}KMS_TOKEN` as const] !== undefined)) return undefined
  return needsToken
    ? `${urlName} needs ${tokenName}, or ?role=… at its end for the login of Kubernetes.`
    : `${tokenName} is for a ${urlName} of Vault that names no role: unset it.`
}

/** Whether tokens count that the outside provider issued to other applications. */
export function acceptsAnyAudience(config: Config): boolean {
  const { IDP_ISSUER, IDP_AUDIENCE, IDP_AUTHORIZED_PARTIES, IDP_CLIENT_ID } = config
  return (
    IDP_ISSUER !== undefined && (IDP_AUDIENCE ?? IDP_CLIENT_ID) === undefined && IDP_AUTHORIZED_PARTIES.length === 0
  )
}

/** What is wrong about settings that are right each by itself. */
function conflictOf(config: Config): string | undefined {
  if (config.WORKERS !== 1 && config.DATABASE_URL === undefined) {
    return 'ROLLKEY_WORKERS needs ROLLKEY_DATABASE_URL: the embedded store belongs to one process.'
  }
  if (config.METRICS_PORT === config.PORT) {
    return 'ROLLKEY_METRICS_PORT and ROLLKEY_PORT are the same port: choose another one, or unset ROLLKEY_METRICS_PORT.'
  }
  return kmsConflict(config, '') ?? kmsConflict(config, 'PREVIOUS_') ?? billingConflict(config)
}

/** Throws WrongSetting. */
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

/** How long the details of entries of the audit log are kept, in days. */
export function auditRetentionOf({ AUDIT_DAYS, AUDIT_FREQUENT_DAYS }: Config): { most: number; frequent: number } {
  return { most: AUDIT_DAYS, frequent: AUDIT_FREQUENT_DAYS }
}

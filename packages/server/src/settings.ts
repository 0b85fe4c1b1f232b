/** The settings: their names, values, defaults and descriptions. `docs/settings.md` is generated from this file. */
import proxyaddr from 'proxy-addr'
import { z } from 'zod'
import { displayName, limits } from '@rollkey/contract'
import { operatorProgram } from './base/shipped-files.ts'
import { logLevels } from './base/log.ts'
import { isNetwork } from './upstream/networks.ts'
import { isTrustworthyUrl } from './upstream/trustworthy-url.ts'
import { isKmsUrl, kmsUrlForms } from './crypto/kms/kms-url.ts'
import { companyName } from './identity/company/settings.ts'
import { organizationSlug, passwordLength } from './identity/rules.ts'
import { isStreamUrl, streamFormats, streamForms } from './audit/stream/stream-url.ts'
import { isReplicaUrl } from './replica/url.ts'
import { isBillingUrl } from './metering/billing/receiver-url.ts'
import { isSender, smtpServerOf } from './notifications/mail/smtp-url.ts'

/** The name of a setting is this prefix and its key. */
export const prefix = 'ROLLKEY_'

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
const claims = list
  .refine(
    (items) => items.every((item) => /^[^=]+=./.test(item)),
    'must be claims with their values, like hd=example.com',
  )
  .transform(
    (items) => new Map(items.map((item) => [item.slice(0, item.indexOf('=')), item.slice(item.indexOf('=') + 1)])),
  )
const passwordRule = `must have ${passwordLength.min} to ${passwordLength.max} characters`
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

const kmsForms = new Intl.ListFormat('en', { type: 'disjunction' }).format(kmsUrlForms)
const kmsUrl = text.refine(isKmsUrl, `must be ${kmsForms} (docs/keys.md)`)

const streams = new Intl.ListFormat('en', { type: 'disjunction' }).format(streamForms)

function isPostgresUrl(value: string): boolean {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol)
}

/** The settings by their keys. */
export const schema = z
  .object({
    HOST: text.default('127.0.0.1').describe('IP address to listen on. 0.0.0.0 serves other machines too.'),
    PORT: count
      .refine((port) => port <= 65_535, 'must be a port, 0 to 65535')
      .prefault('8787')
      .describe('Port to listen on. 0 = any free port.'),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .refine((url) => new URL(url).origin === url, 'must be like https://rollkey.example.com, without a path')
      .optional()
      .describe('URL at which people reach the service, without a path. Absent: derived from HOST and PORT.'),
    DATA_DIR: text
      .default('./data')
      .describe(
        'Folder of the embedded database, its usage journal, lock and administration socket, and of the master key file.',
      ),
    DATABASE_URL: text
      .refine(
        isPostgresUrl,
        'must look like postgres://user:password@host:5432/database, with one host, by TCP: no socket and no list of hosts',
      )
      .optional()
      .describe(
        'URL of a PostgreSQL database, 14 or newer, which any number of nodes share. Its parameters connect_timeout (seconds, 1), lock_timeout and statement_timeout (milliseconds, 1000 and 1500) limit how long a request waits. Absent: the embedded store in DATA_DIR.',
      ),
    DATABASE_CONNECTIONS: positive
      .prefault('10')
      .describe(
        'Maximum connections of a node to PostgreSQL for its transactions. It opens up to 7 more for other work.',
      ),
    WORKERS: count
      .prefault('1')
      .describe('Number of processes that serve on this machine, with PostgreSQL only. 0 = one per core.'),
    MASTER_KEY: text
      .optional()
      .describe(
        'Master key, 32 bytes in base64. Absent: that of KMS_URL, or the file master.key in DATA_DIR, created at the first start.',
      ),
    PREVIOUS_MASTER_KEY: text
      .optional()
      .describe(
        'Previous master key, which opens what it has sealed while the master key is being changed (docs/keys.md).',
      ),
    KMS_URL: kmsUrl
      .optional()
      .describe(
        'Location of an external master key: aws-kms:ARN, gcp-kms:NAME, vault:URL of a transit key, age:FILE (docs/keys.md).',
      ),
    KMS_TOKEN: text.optional().describe('Token for the Vault of KMS_URL.'),
    PREVIOUS_KMS_URL: kmsUrl
      .optional()
      .describe('Location of an external previous master key, like PREVIOUS_MASTER_KEY.'),
    PREVIOUS_KMS_TOKEN: text.optional().describe('Token for the Vault of PREVIOUS_KMS_URL.'),
    IDP_ISSUER: providerUrl
      .optional()
      .describe(
        'Issuer of the external OpenID Connect provider. Absent: the embedded provider, which has its own accounts.',
      ),
    IDP_JWKS_URL: providerUrl.optional().describe("URL of the provider's signing keys. Absent: found by discovery."),
    IDP_AUDIENCE: text
      .optional()
      .describe(
        'Audience (aud) that provider tokens must contain. If neither this nor IDP_AUTHORIZED_PARTIES is set, tokens must contain IDP_CLIENT_ID as audience or authorized party.',
      ),
    IDP_AUTHORIZED_PARTIES: list
      .prefault('')
      .describe(
        'Authorized parties, separated by commas. Provider tokens must contain one of them (azp, or else client_id). Absent: any.',
      ),
    IDP_ORG_ID_CLAIM: text
      .default('org_id')
      .describe("Claim with the organization's id, as a dotted path. o.id is also accepted."),
    IDP_ORG_SLUG_CLAIM: text
      .default('org_slug')
      .describe("Claim with the organization's slug, as a dotted path. o.slg is also accepted."),
    IDP_ORG: text
      .regex(organizationSlug, 'must be 1 to 63 lowercase letters, digits or hyphens, not starting with a hyphen')
      .optional()
      .describe(
        'Slug of the one organization to which everyone belongs whose token is accepted. For providers that know no organizations: their claims are ignored. Absent: the organization in IDP_ORG_ID_CLAIM.',
      ),
    IDP_REQUIRED_CLAIMS: claims
      .prefault('')
      .describe(
        'Claims that each provider token must contain, like hd=example.com, separated by commas. A claim is a dotted path. Absent: none.',
      ),
    IDP_OWNERS: list
      .prefault('')
      .describe(
        'Ids (sub) of the users who are owners, separated by commas, if no IDP_MEMBERSHIP_URL reports roles. Absent: everyone is a member.',
      ),
    IDP_GROUPS_CLAIM: text
      .optional()
      .describe(
        "Claim with the names or ids of the person's groups, as a dotted path. Absent: the members of all groups are kept in Rollkey.",
      ),
    TRUSTED_ISSUERS: list
      .refine((issuers) => issuers.every(isTrustworthyUrl), 'must be https URLs (http only for this machine)')
      .prefault('')
      .describe(
        'Issuers besides the well-known ones whose tokens can be exchanged, exactly as in their claim iss, separated by commas: such as your GitLab or Forgejo, or the issuer of a cluster. The service fetches their keys by discovery. Absent: none.',
      ),
    IDP_CLIENT_ID: text
      .optional()
      .describe(
        'Client id of the web application at the external provider: a public client with PKCE and the redirect URL PUBLIC_URL/auth/callback. Absent: no sign-in to the web application.',
      ),
    IDP_SCOPES: text
      .default('openid profile')
      .describe('Scopes, separated by spaces, that the web application requests from the external provider.'),
    IDP_MEMBERSHIP_URL: providerUrl
      .optional()
      .describe(
        'URL that reports whether a user is still a member, a template with {orgId} and {userId}. 2xx = member, 404 = removed. Absent: removals are not detected.',
      ),
    IDP_MEMBERSHIP_TOKEN: text.optional().describe('Bearer token for IDP_MEMBERSHIP_URL.'),
    SETUP_EMAIL: z
      .email('must be an address such as ada@example.com')
      .optional()
      .describe(
        'Address of the first account, which the first start creates as the owner of SETUP_ORG (docs/install.md, "First start without a person"). Changes nothing once an account exists. Absent: the first start prints a link that creates it.',
      ),
    SETUP_ORG: text
      .regex(organizationSlug, 'must be a slug of 1 to 63 lowercase letters, digits and dashes')
      .optional()
      .describe('Slug of the first organization.'),
    SETUP_ORG_NAME: displayName.optional().describe('Name of the first organization. Absent: SETUP_ORG.'),
    SETUP_PASSWORD: z
      .string()
      .min(passwordLength.min, passwordRule)
      .max(passwordLength.max, passwordRule)
      .optional()
      .describe('Password of the first account. Absent: a one-time link sets it, valid for one hour.'),
    SETUP_LINK_PATH: text
      .optional()
      .describe(
        'File that the first start writes its one-time link to, readable only by its owner. Absent: the link is printed.',
      ),
    SIGN_UP: z
      .enum(signUps, oneOf(signUps))
      .default('invitation')
      .describe(
        'Who may create an account at the embedded provider: only people with an invitation, or anyone (open).',
      ),
    SIGN_IN: list
      .refine((names) => names.every((name) => companyName.test(name)), 'must be names of lowercase letters and digits')
      .refine((names) => new Set(names).size === names.length, 'must name each provider once')
      .prefault('')
      .describe(
        'Names of the OpenID Connect providers at which people sign in besides passwords and passkeys, separated by commas: google, microsoft, gitlab or your own name. Each has settings with its name, such as SIGN_IN_GOOGLE_CLIENT_ID (docs/sign-in/README.md). Absent: none.',
      ),
    ORGANIZATIONS_PER_PERSON: count
      .prefault('3')
      .describe(
        'Maximum organizations that one person may own at the embedded provider. At the maximum, they cannot create another. 0 = unlimited.',
      ),
    TRUSTED_PROXIES: proxies
      .prefault('loopback')
      .describe(
        'Reverse proxies whose X-Forwarded-For is trusted, separated by commas. Rate limits use it to distinguish clients.',
      ),
    RATE_LIMIT_REQUESTS: count
      .prefault('12000')
      .describe(
        'Maximum requests per caller and minute, not counting evaluations. 0 = unlimited (docs/api.md, "Rate limits").',
      ),
    RATE_LIMIT_EVALUATIONS: count
      .prefault('0')
      .describe('Maximum evaluations (evaluate, batch and pull) per caller and minute. 0 = unlimited.'),
    RATE_LIMIT_CLIENT_KEYS: count
      .prefault('3000')
      .describe('Maximum requests with a client key per IP address and minute. 0 = unlimited (docs/client-keys.md).'),
    CLIENT_KEY_EVALUATIONS: positive
      .prefault('1000000')
      .describe('Evaluations of a UTC month after which a client key is refused, unless it has its own maximum.'),
    RATE_LIMIT_IP: count
      .prefault('1200')
      .describe(
        'Maximum device logins per IP address and minute. Also limits requests to the embedded provider (2×), requests with unknown credentials (10×) and requests without credentials (100×). 0 = unlimited.',
      ),
    RATE_LIMIT_EXPENSIVE: count
      .prefault('600')
      .describe(
        'Maximum expensive reads per caller and minute: search, history, digests, roll counts, audit log, usage. 0 = unlimited (docs/api.md, "Rate limits").',
      ),
    MAX_CONNECTIONS: positive
      .prefault('10000')
      .describe(
        'Maximum connections of a node. Above it, a new connection closes one that has been idle for long, if that is at least a second.',
      ),
    MAX_CONNECTIONS_PER_IP: positive
      .prefault('1000')
      .describe(
        'Maximum connections from one IP address. Connections from TRUSTED_PROXIES count only for MAX_CONNECTIONS.',
      ),
    MAX_PENDING_BODY_BYTES: positive
      .prefault('268435456')
      .describe('Maximum bytes of request bodies that a node holds while their requests are under way.'),
    MAX_PENDING_BODY_BYTES_PER_IP: positive
      .prefault('33554432')
      .describe('Maximum bytes of request bodies under way from one IP address, except for TRUSTED_PROXIES.'),
    MAX_UNREAD_BYTES: positive
      .prefault('268435456')
      .describe('Maximum bytes of answers that a node holds for clients that have not read them yet.'),
    MAX_UNREAD_BYTES_PER_CALLER: positive
      .prefault('67108864')
      .describe('Maximum bytes of unread answers for one caller or, without a credential, for one IP address.'),
    MAX_PENDING_LOGINS_PER_IP: positive
      .prefault('100')
      .describe(
        'Maximum logins of command-line clients that one IP address has started and that are not approved yet.',
      ),
    PASSWORD_HASHES: count
      .prefault('0')
      .describe(
        'Maximum passwords that a process hashes at once for the embedded provider. Up to 16 times as many wait; further ones are refused (429). 0 = the cores of the machine minus one, divided by WORKERS; at least 1, at most 4.',
      ),
    MAX_STREAMS_PER_CREDENTIAL: positive
      .prefault('250')
      .describe('Maximum event streams of one credential (for provider tokens, of one user) from one IP address.'),
    METRICS_TOKEN: text.optional().describe('Bearer token that /metrics requires. Absent: no token is required.'),
    METRICS_PORT: count
      .refine((port) => port > 0 && port <= 65_535, 'must be a port, 1 to 65535')
      .optional()
      .describe('Separate port for /metrics, which PORT then no longer serves. Absent: PORT serves /metrics.'),
    PLAN: z.enum(plans, oneOf(plans)).default('unlimited').describe('Plan of every organization.'),
    FREE_EVALUATIONS: count.prefault('100000').describe('Maximum billing events per UTC month on the free plan.'),
    FREE_STORAGE_BYTES: count.prefault('25000000').describe('Maximum bytes of sealed values on the free plan.'),
    SERVICE_TOKEN_DAYS: positive
      .refine((days) => days <= limits.serviceTokenDays, `must be at most ${limits.serviceTokenDays}`)
      .prefault(String(limits.serviceTokenDays))
      .describe('Maximum lifetime of a new service token, in days. Existing tokens keep their lifetime.'),
    STAGE_VARIABLES: positive
      .prefault(String(limits.stageVariables))
      .describe('Maximum variables in a stage. A stage that already has more stays readable and may shrink.'),
    STAGE_BYTES: positive
      .prefault(String(limits.stageBytes))
      .describe(
        'Maximum bytes of sealed values, descriptions, labels, pins and rules in a stage. A stage that already has more stays readable and may shrink.',
      ),
    HISTORY_DAYS: count.prefault('90').describe('How long superseded revisions are kept, in days.'),
    AUDIT_REQUIRED: z
      .enum(yesOrNo, oneOf(yesOrNo))
      .default('yes')
      .describe(
        'Whether actions of people at the embedded provider are refused (503) while the audit log cannot be written. no: they are carried out, and the service logs an error. All other actions are refused in any case.',
      ),
    AUDIT_DAYS: count
      .prefault('400')
      .describe(
        'How long the details of audit log entries, and proposed changes after they have settled, are kept, in days.',
      ),
    USAGE_DAYS: count
      .prefault('800')
      .describe('How long the usage of each day and stage is kept, in days. The totals of months stay.'),
    AUDIT_FREQUENT_DAYS: count
      .prefault('90')
      .describe(
        'How long the details of frequent, automatic audit log entries are kept, in days: refreshed sessions, refusals (docs/audit.md).',
      ),
    AUDIT_STREAM: text
      .refine(isStreamUrl, `must be ${streams}, without user name and password (docs/audit.md)`)
      .optional()
      .describe(
        'Where the audit logs of all organizations are sent as well: file:/path, syslog+tls://host:port, syslog+tcp://host:port, or the https URL of a receiver of lines of JSON or of a Splunk HTTP Event Collector (docs/audit.md). Absent: nowhere.',
      ),
    AUDIT_STREAM_FORMAT: z
      .enum(streamFormats, oneOf(streamFormats))
      .default('json')
      .describe('Format of the audit stream: json, with the field names of OCSF, which can be verified; or cef.'),
    AUDIT_STREAM_TOKEN: text
      .optional()
      .describe(
        'Token for the https URL of AUDIT_STREAM: of the Splunk HTTP Event Collector, otherwise a bearer token.',
      ),
    AUDIT_STREAM_REQUIRED: z
      .enum(yesOrNo, oneOf(yesOrNo))
      .default('no')
      .describe(
        'Whether what the audit log records is refused (503) in an organization one of whose entries AUDIT_STREAM has not accepted for AUDIT_STREAM_MAX_SECONDS. no: entries wait, and nothing is refused.',
      ),
    AUDIT_STREAM_MAX_SECONDS: positive
      .prefault('300')
      .describe(
        'How long an entry may wait for AUDIT_STREAM, in seconds, until doctor warns and AUDIT_STREAM_REQUIRED refuses.',
      ),
    BACKUP_RECIPIENT: text
      .regex(
        /^age1[0-9a-z]{10,}$/,
        `must be the public half of a backup key, age1…: create one with ${operatorProgram} backup new-key FILE`,
      )
      .optional()
      .describe('Public half of the backup key (docs/backup.md). Absent: backup create needs --recipient.'),
    REPLICA_URL: text
      .refine(isReplicaUrl, 'must be file: and an absolute path, s3://BUCKET or s3://BUCKET/PREFIX (docs/replica.md)')
      .optional()
      .describe(
        'Where the embedded store is shipped every second: file:/PATH, a folder that exists, or s3://BUCKET/PREFIX (docs/replica.md). Needs ROLLKEY_BACKUP_RECIPIENT. Absent: nowhere.',
      ),
    REPLICA_DAYS: positive
      .prefault('7')
      .describe('How far back a restore of the replica may go, in days. What only earlier moments need is deleted.'),
    REPLICA_S3_ENDPOINT: text
      .refine(isTrustworthyUrl, 'must be an https URL (http only for this machine: localhost, 127.0.0.1)')
      .optional()
      .describe('URL of the object storage of ROLLKEY_REPLICA_URL=s3://…. Absent: that of AWS in the region.'),
    REPLICA_S3_REGION: text
      .regex(/^[a-z0-9-]+$/, 'must be the name of a region, such as eu-central-1')
      .prefault('us-east-1')
      .describe(
        'Region of the bucket of ROLLKEY_REPLICA_URL. Its credentials come from where the AWS SDK finds them, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
      ),
    BILLING_URL: text
      .refine(
        isBillingUrl,
        'must be stripe: and the event name of a meter, or an https URL (http only for this machine: localhost, 127.0.0.1)',
      )
      .optional()
      .describe(
        'External billing system that receives the usage: stripe:EVENT_NAME of a meter, or the https URL of a receiver of signed messages (docs/billing.md). Absent: none.',
      ),
    BILLING_SECRET: text
      .optional()
      .describe("Secret or restricted key of Stripe, or the receiver's signing secret (whsec_ and base64)."),
    CORS_ORIGINS: list.prefault('*').describe('Origins whose pages may read answers, separated by commas. * = all.'),
    HOOK_NETWORKS: list
      .refine((each) => each.every(isNetwork), 'must be networks such as 10.0.0.0/8, separated by commas')
      .prefault('')
      .describe(
        'Networks besides the public internet to which webhooks may send, separated by commas, such as 10.20.0.0/16; there also by http and at any port (docs/notifications.md). Absent: none.',
      ),
    SMTP_URL: text
      .refine(
        (url) => smtpServerOf(url) !== undefined,
        'must be like smtps://user:password@smtp.example.com, or smtp:// for STARTTLS; ?tls=no only for this machine',
      )
      .optional()
      .describe(
        'URL of the SMTP server that sends mail: smtps://user:password@host:465, or smtp://user:password@host:587 with STARTTLS; both require a valid certificate. smtp://localhost:25?tls=no sends in plaintext to this machine (docs/notifications.md). Absent: no mail.',
      ),
    MAIL_FROM: text
      .refine(isSender, 'must be an address such as rollkey@example.com or Rollkey <rollkey@example.com>')
      .optional()
      .describe('Sender of mail: an address, or `Name <address>`.'),
    MAIL_RESETS: z
      .enum(yesOrNo, oneOf(yesOrNo))
      .default('yes')
      .describe(
        'Whether people can have a link mailed that sets a new password. no: owners, admins and the operator pass such links on.',
      ),
    VAULT_SECRET_PROJECT: text
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be the slug of a project')
      .optional()
      .describe(
        'Project that clients of the Vault protocol reach as the mount secret, for tools that have no setting for it (docs/vault.md). Absent: the project secret.',
      ),
    LOG_LEVEL: z
      .enum(logLevels, oneOf(logLevels))
      .default('info')
      .describe('Minimum log level. debug logs every request.'),
  })
  .readonly()

/** Settings that can also be in a file, which ROLLKEY_…_FILE names. */
export const secrets: readonly string[] = [
  'DATABASE_URL',
  'MASTER_KEY',
  'PREVIOUS_MASTER_KEY',
  'KMS_TOKEN',
  'PREVIOUS_KMS_TOKEN',
  'IDP_MEMBERSHIP_TOKEN',
  'SETUP_PASSWORD',
  'AUDIT_STREAM',
  'AUDIT_STREAM_TOKEN',
  'BILLING_SECRET',
  'SMTP_URL',
  'METRICS_TOKEN',
]

export type Config = z.output<typeof schema>

/** One row per setting, for the documentation. */
export const settings = Object.entries(schema.unwrap().shape).map(([key, type]) => {
  const parsed = type.safeParse(undefined)
  const byDefault = parsed.success ? parsed.data : undefined
  return {
    name: prefix + key,
    about: type.description ?? '',
    byDefault: byDefault === undefined || byDefault instanceof Map ? '' : String(byDefault),
    fromFile: secrets.includes(key),
  }
})

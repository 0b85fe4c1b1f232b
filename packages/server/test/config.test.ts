import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig, readDemoConfig, WrongSetting } from '../src/config.ts'
import { settings } from '../src/settings.ts'
import { generated } from '../../../tools/generated.ts'
import { temporaryFolder } from '../testkit/folder.ts'

const canary = 'canary-7f3a'

/** Returns the message that refuses the environment. */
function refusal(environment: NodeJS.ProcessEnv): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof WrongSetting) return error.message
    throw error
  }
  throw new Error('the environment was taken')
}

function fileWith(text: string): string {
  const file = path.join(temporaryFolder(), 'secret')
  writeFileSync(file, text)
  return file
}

describe('an empty environment', () => {
  test('gives the defaults', () => {
    expect(readConfig({})).toEqual({
      HOST: '127.0.0.1',
      PORT: 8787,
      DATA_DIR: './data',
      IDP_AUTHORIZED_PARTIES: [],
      IDP_ORG_ID_CLAIM: 'org_id',
      IDP_ORG_SLUG_CLAIM: 'org_slug',
      IDP_SCOPES: 'openid profile',
      IDP_REQUIRED_CLAIMS: new Map(),
      TRUSTED_ISSUERS: [],
      HOOK_NETWORKS: [],
      REPLICA_DAYS: 7,
      REPLICA_S3_REGION: 'us-east-1',
      IDP_OWNERS: [],
      SIGN_UP: 'invitation',
      SIGN_IN: [],
      COMPANIES: [],
      TRUSTED_PROXIES: ['loopback'],
      RATE_LIMIT_REQUESTS: 12_000,
      RATE_LIMIT_EVALUATIONS: 0,
      RATE_LIMIT_IP: 1_200,
      RATE_LIMIT_EXPENSIVE: 600,
      MAX_CONNECTIONS: 10_000,
      MAX_CONNECTIONS_PER_IP: 1_000,
      MAX_PENDING_BODY_BYTES: 268_435_456,
      MAX_PENDING_BODY_BYTES_PER_IP: 33_554_432,
      MAX_UNREAD_BYTES: 268_435_456,
      MAX_UNREAD_BYTES_PER_CALLER: 67_108_864,
      MAX_PENDING_LOGINS_PER_IP: 100,
      ORGANIZATIONS_PER_PERSON: 3,
      PASSWORD_HASHES: 0,
      MAX_STREAMS_PER_CREDENTIAL: 250,
      RATE_LIMIT_CLIENT_KEYS: 3_000,
      CLIENT_KEY_EVALUATIONS: 1_000_000,
      PLAN: 'unlimited',
      FREE_EVALUATIONS: 100_000,
      FREE_STORAGE_BYTES: 25_000_000,
      SERVICE_TOKEN_DAYS: 3_650,
      STAGE_VARIABLES: 10_000,
      STAGE_BYTES: 16_777_216,
      HISTORY_DAYS: 90,
      AUDIT_REQUIRED: 'yes',
      AUDIT_DAYS: 400,
      AUDIT_FREQUENT_DAYS: 90,
      AUDIT_STREAM_FORMAT: 'json',
      AUDIT_STREAM_REQUIRED: 'no',
      AUDIT_STREAM_MAX_SECONDS: 300,
      USAGE_DAYS: 800,
      CORS_ORIGINS: ['*'],
      DATABASE_CONNECTIONS: 10,
      LOG_LEVEL: 'info',
      MAIL_RESETS: 'yes',
      WORKERS: 1,
    })
  })

  test('is one without names that start with ROLLKEY_', () => {
    expect(readConfig({ PORT: '1', HOME: '/root', ROLLKEYPORT: '1', rollkey_port: '1' })).toEqual(readConfig({}))
  })
})

describe('the settings', () => {
  test('are read from names with the prefix ROLLKEY_', () => {
    const config = readConfig({
      ROLLKEY_HOST: '0.0.0.0',
      ROLLKEY_PORT: '0',
      ROLLKEY_PUBLIC_URL: 'https://rollkey.example//',
      ROLLKEY_IDP_ISSUER: 'https://idp.example',
      ROLLKEY_IDP_MEMBERSHIP_URL: 'http://localhost:3000/{orgId}/{userId}',
      ROLLKEY_IDP_AUTHORIZED_PARTIES: ' a, b ,,c',
      ROLLKEY_CORS_ORIGINS: 'https://one.example,https://two.example',
      ROLLKEY_PLAN: 'free',
      ROLLKEY_FREE_EVALUATIONS: '0',
      ROLLKEY_LOG_LEVEL: 'silent',
    })
    expect(config).toMatchObject({
      HOST: '0.0.0.0',
      PORT: 0,
      PUBLIC_URL: 'https://rollkey.example',
      IDP_ISSUER: 'https://idp.example',
      IDP_MEMBERSHIP_URL: 'http://localhost:3000/{orgId}/{userId}',
      IDP_AUTHORIZED_PARTIES: ['a', 'b', 'c'],
      CORS_ORIGINS: ['https://one.example', 'https://two.example'],
      PLAN: 'free',
      FREE_EVALUATIONS: 0,
      LOG_LEVEL: 'silent',
    })
  })

  test('cannot be changed afterwards', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })

  test('are all described', () => {
    for (const { name, about } of settings) expect(about, name).toMatch(/^[A-Z].*[.]$/)
    expect(settings.find(({ name }) => name === 'ROLLKEY_PORT')).toMatchObject({ byDefault: '8787', fromFile: false })
  })
})

describe('a wrong value', () => {
  test.each([
    ['HOST', '', 'ROLLKEY_HOST must not be empty.'],
    ['PORT', '65536', 'ROLLKEY_PORT must be a port, 0 to 65535.'],
    ['PORT', '', 'ROLLKEY_PORT must be a whole number.'],
    ['PORT', '-1', 'ROLLKEY_PORT must be a whole number.'],
    ['PORT', '80.5', 'ROLLKEY_PORT must be a whole number.'],
    ['PORT', ' 80', 'ROLLKEY_PORT must be a whole number.'],
    ['PORT', '0x50', 'ROLLKEY_PORT must be a whole number.'],
    ['PORT', canary, 'ROLLKEY_PORT must be a whole number.'],
    ['FREE_EVALUATIONS', '9999999999999999', 'ROLLKEY_FREE_EVALUATIONS must be a whole number.'],
    ['FREE_STORAGE_BYTES', '25MB', 'ROLLKEY_FREE_STORAGE_BYTES must be a whole number.'],
    ['HISTORY_DAYS', 'all', 'ROLLKEY_HISTORY_DAYS must be a whole number.'],
    ['PUBLIC_URL', canary, 'ROLLKEY_PUBLIC_URL must be an http or https URL.'],
    ['PUBLIC_URL', `ftp://${canary}`, 'ROLLKEY_PUBLIC_URL must be an http or https URL.'],
    ['DATA_DIR', '', 'ROLLKEY_DATA_DIR must not be empty.'],
    ['MASTER_KEY', '', 'ROLLKEY_MASTER_KEY must not be empty.'],
    ['PLAN', canary, 'ROLLKEY_PLAN must be one of unlimited, free.'],
    ['LOG_LEVEL', canary, 'ROLLKEY_LOG_LEVEL must be one of debug, info, warn, error, silent.'],
    ...[
      `mysql://user:${canary}@db/x`,
      `postgres://u:${canary}@/x?host=/run/postgresql`,
      `postgres://u:${canary}@a:5432,b:5432/x`,
    ].map((url) => [
      'DATABASE_URL',
      url,
      'ROLLKEY_DATABASE_URL must look like postgres://user:password@host:5432/database, with one host, by TCP: no socket and no list of hosts.',
    ]),
  ])('of %s (%j) is refused by one sentence', (name, value, sentence) => {
    expect(refusal({ [`ROLLKEY_${name}`]: value })).toBe(sentence)
  })

  test.each(['IDP_ISSUER', 'IDP_JWKS_URL', 'IDP_MEMBERSHIP_URL'])(
    'of %s is a URL at which someone else could answer',
    (name) => {
      const sentence = `ROLLKEY_${name} must be an https URL (http only for this machine: localhost, 127.0.0.1).`
      const hosts = [`http://${canary}.example`, `http://localhost.${canary}.example`, 'http://127.0.0.1.example']
      for (const value of [...hosts, canary, 'ftp://localhost', '//localhost', 'http://10.0.0.1', 'http://[::2]']) {
        expect(refusal({ [`ROLLKEY_${name}`]: value })).toBe(sentence)
      }
      for (const value of ['https://idp.example', 'http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1']) {
        expect(readConfig({ [`ROLLKEY_${name}`]: value })).toMatchObject({ [name]: value })
      }
    },
  )

  test('is never quoted, for any setting', () => {
    for (const { name } of settings) {
      for (const value of [canary, `http://${canary}.example`, `\n${canary}`]) {
        let sentence = ''
        try {
          readConfig({ [name]: value })
        } catch (error) {
          sentence = String(error)
        }
        expect(sentence, name).not.toContain(canary)
      }
    }
  })

  test('is reported alone if several are wrong', () => {
    const sentence = refusal({ ROLLKEY_PORT: 'x', ROLLKEY_PLAN: 'x', ROLLKEY_LOG_LEVEL: 'x' })
    expect(sentence).toBe('ROLLKEY_PORT must be a whole number.')
  })
})

describe('a fixed organization', () => {
  const issuer = { ROLLKEY_IDP_ISSUER: 'https://idp.example', ROLLKEY_IDP_ORG: 'acme' }
  const client = { ROLLKEY_IDP_CLIENT_ID: 'rollkey' }
  const google = { ...issuer, ...client, ROLLKEY_IDP_ISSUER: 'https://accounts.google.com' }
  const membership = { ROLLKEY_IDP_MEMBERSHIP_URL: 'https://idp.example/{orgId}/{userId}' }

  test.each([
    ['of a provider with a client', { ...issuer, ...client }],
    ['of Google with a domain', { ...google, ROLLKEY_IDP_REQUIRED_CLAIMS: 'hd=example.com' }],
    ['of Google with a membership endpoint', { ...google, ...membership }],
  ])('%s is taken', (_, environment) => {
    expect(readConfig(environment)).toMatchObject({ IDP_ORG: 'acme' })
  })

  test.each([
    ['without a provider', { ROLLKEY_IDP_ORG: 'acme' }, 'needs ROLLKEY_IDP_ISSUER'],
    ['without an audience', issuer, 'needs ROLLKEY_IDP_CLIENT_ID, '],
    ['of everyone with a Google account', google, 'needs ROLLKEY_IDP_REQUIRED_CLAIMS (such as hd=example.com)'],
    ['with two sources of roles', { ...google, ...membership, ROLLKEY_IDP_OWNERS: 'ada' }, 'keep one.'],
    ['with a wrong slug', { ...issuer, ROLLKEY_IDP_ORG: 'Acme Inc' }, 'must be 1 to 63 lowercase letters'],
    ['with a claim that has no value', { ROLLKEY_IDP_REQUIRED_CLAIMS: 'hd' }, 'must be claims with their values'],
  ])('%s is refused', (_, environment, sentence) => {
    expect(refusal(environment)).toContain(sentence)
  })

  test('can require claims whose values have equals signs', () => {
    const { IDP_REQUIRED_CLAIMS } = readConfig({ ROLLKEY_IDP_REQUIRED_CLAIMS: 'hd=example.com, a.b=c=d' })
    expect(Object.fromEntries(IDP_REQUIRED_CLAIMS)).toEqual({ hd: 'example.com', 'a.b': 'c=d' })
  })
})

describe('the first account', () => {
  const [email, org, password] = ['ada@example.com', 'acme', 'correct horse battery']

  test('has an address and an organization, and a password that can be in a file', () => {
    const inFile = { SETUP_PASSWORD_FILE: fileWith(`${password}\n`) }
    const given = { SETUP_EMAIL: email, SETUP_ORG: org, SETUP_ORG_NAME: 'Acme Inc.', ...inFile }
    const environment = Object.fromEntries(Object.entries(given).map(([key, value]) => [`ROLLKEY_${key}`, value]))
    expect(readConfig(environment)).toMatchObject({ SETUP_EMAIL: email, SETUP_ORG: org, SETUP_PASSWORD: password })
    expect(readConfig({ ROLLKEY_SETUP_LINK_PATH: 'link' })).toMatchObject({ SETUP_LINK_PATH: 'link' })
  })

  test.each([
    [{ EMAIL: email }, 'ROLLKEY_SETUP_EMAIL needs ROLLKEY_SETUP_ORG: set both, or neither.'],
    [{ ORG: org }, 'ROLLKEY_SETUP_ORG needs ROLLKEY_SETUP_EMAIL: set both, or neither.'],
    [{ ORG_NAME: 'Acme' }, 'ROLLKEY_SETUP_ORG_NAME needs ROLLKEY_SETUP_EMAIL: set both, or neither.'],
    [{ PASSWORD: password }, 'ROLLKEY_SETUP_PASSWORD needs ROLLKEY_SETUP_EMAIL: set both, or neither.'],
    [{ EMAIL: canary, ORG: org }, 'ROLLKEY_SETUP_EMAIL must be an address such as ada@example.com.'],
    [
      { EMAIL: email, ORG: 'Acme' },
      'ROLLKEY_SETUP_ORG must be a slug of 1 to 63 lowercase letters, digits and dashes.',
    ],
    [{ EMAIL: email, ORG: org, ORG_NAME: ' ' }, 'ROLLKEY_SETUP_ORG_NAME must not be empty.'],
    [{ EMAIL: email, ORG: org, PASSWORD: 'canary' }, 'ROLLKEY_SETUP_PASSWORD must have 10 to 128 characters.'],
    [
      { EMAIL: email, ORG: org, PASSWORD: password, LINK_PATH: 'link' },
      'ROLLKEY_SETUP_PASSWORD and ROLLKEY_SETUP_LINK_PATH are both set, but with a password there is no link: keep one.',
    ],
  ])('is refused by one sentence: %o', (given, sentence) => {
    const environment = Object.entries(given).map(([key, value]) => [`ROLLKEY_SETUP_${key}`, value])
    expect(refusal(Object.fromEntries(environment) as NodeJS.ProcessEnv)).toBe(sentence)
  })

  test('needs the embedded provider', () => {
    const environment = { ROLLKEY_SETUP_LINK_PATH: 'link', ROLLKEY_IDP_ISSUER: 'https://idp.example' }
    expect(refusal(environment)).toContain('only the embedded provider has a first account: keep one.')
  })
})

describe('mail', () => {
  const from = { ROLLKEY_MAIL_FROM: 'Rollkey <rollkey@example.com>' }
  const url = `smtps://rollkey:${canary}@mail.example.com`

  test('has a server and a sender', () => {
    expect(readConfig({ ROLLKEY_SMTP_URL: url, ...from })).toMatchObject({ SMTP_URL: url })
  })

  test.each([
    [{ ROLLKEY_SMTP_URL: url }, 'ROLLKEY_SMTP_URL and ROLLKEY_MAIL_FROM need each other: set both, or neither.'],
    [from, 'ROLLKEY_SMTP_URL and ROLLKEY_MAIL_FROM need each other: set both, or neither.'],
    [
      { ROLLKEY_SMTP_URL: url, ...from, ROLLKEY_IDP_ISSUER: 'https://idp.example' },
      'ROLLKEY_SMTP_URL needs the embedded identity provider, since an external one keeps the addresses of people: unset it, or ROLLKEY_IDP_ISSUER.',
    ],
    [
      { ROLLKEY_SMTP_URL: `${url}?tls=no`, ...from },
      'ROLLKEY_SMTP_URL must be like smtps://user:password@smtp.example.com, or smtp:// for STARTTLS; ?tls=no only for this machine.',
    ],
    [
      { ROLLKEY_SMTP_URL: url, ROLLKEY_MAIL_FROM: 'Rollkey' },
      'ROLLKEY_MAIL_FROM must be an address such as rollkey@example.com or Rollkey <rollkey@example.com>.',
    ],
  ])('is refused by one sentence: %o', (environment, sentence) => {
    expect(refusal(environment)).toBe(sentence)
  })
})

describe('external billing', () => {
  const whsec = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`
  const refused = (url: string | undefined, secret: string | undefined): string =>
    refusal({ ROLLKEY_BILLING_URL: url, ROLLKEY_BILLING_SECRET: secret })

  test.each([
    ['stripe:rollkey_evaluations', 'sk_live_51Abc'],
    ['stripe:a.b-c', 'rk_test_51Abc'],
    ['https://billing.example/usage?a=b', whsec(24)],
    ['http://127.0.0.1:1', whsec(64)],
  ])('is to %s', (url, secret) => {
    const config = readConfig({ ROLLKEY_BILLING_URL: url, ROLLKEY_BILLING_SECRET: secret })
    expect(config).toMatchObject({ BILLING_URL: url, BILLING_SECRET: secret })
  })

  test.each([
    'stripe:',
    'stripe:two words',
    `http://${canary}.example`,
    `https://${canary}:x@billing.example`,
    canary,
    'ftp://localhost',
  ])('is not to %j', (url) => {
    expect(refused(url, whsec(32))).toBe(
      'ROLLKEY_BILLING_URL must be stripe: and the event name of a meter, or an https URL (http only for this machine: localhost, 127.0.0.1).',
    )
  })

  test.each([
    [{ REPLICA_URL: 'file:replica' }, 'ROLLKEY_REPLICA_URL must be file: and an absolute path, s3://BUCKET'],
    [{ REPLICA_URL: 's3://Bucket' }, 'ROLLKEY_REPLICA_URL must be file: and an absolute path, s3://BUCKET'],
    [{ REPLICA_S3_ENDPOINT: 'http://s3.example' }, 'ROLLKEY_REPLICA_S3_ENDPOINT must be an https URL'],
    [{ REPLICA_URL: 'file:/replica' }, 'ROLLKEY_REPLICA_URL needs ROLLKEY_BACKUP_RECIPIENT, for which '],
    [
      { REPLICA_URL: 'file:/replica', DATABASE_URL: 'postgres://u:p@db:5432/x' },
      'ROLLKEY_REPLICA_URL and ROLLKEY_DATABASE_URL are both set',
    ],
  ])('of a replica that nothing could be shipped to is refused (%j)', (values, sentence) => {
    const environment = Object.entries(values).map(([name, value]) => [`ROLLKEY_${name}`, value])
    expect(refusal(Object.fromEntries(environment))).toContain(sentence)
  })

  test.each([
    ['https://billing.example', undefined, 'ROLLKEY_BILLING_URL needs ROLLKEY_BILLING_SECRET: set both, or neither.'],
    [undefined, whsec(32), 'ROLLKEY_BILLING_SECRET needs ROLLKEY_BILLING_URL: set both, or neither.'],
    ['stripe:a', whsec(32), 'ROLLKEY_BILLING_SECRET must be a secret or restricted key of Stripe (sk_…, rk_…)'],
    ['stripe:a', 'pk_test_51Abc', 'ROLLKEY_BILLING_SECRET must be a secret or restricted key of Stripe (sk_…, rk_…)'],
    ['https://billing.example', canary, 'ROLLKEY_BILLING_SECRET must be whsec_ and 24 to 64 bytes in base64: '],
    ['https://billing.example', whsec(16), 'ROLLKEY_BILLING_SECRET must be whsec_ and 24 to 64 bytes in base64: '],
    [
      'https://billing.example',
      `${whsec(32)} x`,
      'ROLLKEY_BILLING_SECRET must be whsec_ and 24 to 64 bytes in base64: ',
    ],
  ])('needs what fits together: %j with %j', (url, secret, sentence) => {
    expect(refused(url, secret)).toContain(sentence)
    expect(refused(url, secret)).not.toContain(canary)
  })
})

describe('the audit stream', () => {
  test.each([
    [{ STREAM: canary }, 'ROLLKEY_AUDIT_STREAM must be file:/path, syslog+tls://host:port'],
    [{ STREAM: `http://${canary}.example` }, 'ROLLKEY_AUDIT_STREAM must be'],
    [{ STREAM_FORMAT: canary }, 'ROLLKEY_AUDIT_STREAM_FORMAT must be one of json, cef.'],
    [{ STREAM_REQUIRED: 'yes' }, 'ROLLKEY_AUDIT_STREAM_REQUIRED needs ROLLKEY_AUDIT_STREAM: set both, or neither.'],
    [{ STREAM_TOKEN: canary }, 'ROLLKEY_AUDIT_STREAM_TOKEN needs an https URL in ROLLKEY_AUDIT_STREAM: unset it.'],
    [{ STREAM: `file:/${canary}`, STREAM_TOKEN: canary }, 'ROLLKEY_AUDIT_STREAM_TOKEN needs an https URL'],
    [{ STREAM: `https://${canary}.example/services/collector` }, 'needs ROLLKEY_AUDIT_STREAM_TOKEN: set it.'],
  ])('is refused: %j', (given, sentence) => {
    const names = Object.entries(given).map(([name, value]) => [`ROLLKEY_AUDIT_${name}`, value])
    const text = refusal(Object.fromEntries(names) as Record<string, string>)
    expect(text).toContain(sentence)
    expect(text).not.toContain(canary)
  })
})

describe('an external master key', () => {
  const arn = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
  const vault = 'vault:https://vault.example:8200/transit/rollkey'

  test.each([
    `aws-kms:${arn}`,
    `aws-kms:${arn.replace('aws', 'aws-us-gov').replace('key/', 'key/mrk-')}`,
    'gcp-kms:projects/example.com:shop/locations/europe-west3/keyRings/rollkey/cryptoKeys/master_1',
    `${vault}?role=rollkey`,
    'vault:http://127.0.0.1:8200/team/a/transit/rollkey?role=r',
    'age:/etc/rollkey/master.age',
    'age:master key.age',
  ])('%s is taken, also while it is changed', (url) => {
    expect(readConfig({ ROLLKEY_KMS_URL: url, ROLLKEY_PREVIOUS_MASTER_KEY: 'm' })).toMatchObject({ KMS_URL: url })
    expect(readConfig({ ROLLKEY_PREVIOUS_KMS_URL: url, ROLLKEY_MASTER_KEY: 'm' })).toMatchObject({
      PREVIOUS_KMS_URL: url,
    })
  })

  test.each([
    arn,
    'aws-kms:',
    `aws-kms:${arn.replace(/key.*/, 'alias/rollkey')}`,
    `aws-kms:${arn} `,
    'gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1',
    'gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/../k',
    'vault:http://vault.example:8200/transit/rollkey',
    'vault:https://vault.example:8200/rollkey',
    'vault:https://vault.example:8200/transit/rollkey/',
    'vault:https://vault.example:8200/transit/../sys/rollkey%2F',
    'vault:https://user:pass@vault.example:8200/transit/rollkey',
    `${vault}?role=`,
    `${vault}?token=${canary}`,
    `${vault}#x`,
    'age:',
    `awskms:${canary}`,
  ])('%j is refused', (url) => {
    for (const name of ['ROLLKEY_KMS_URL', 'ROLLKEY_PREVIOUS_KMS_URL']) {
      const sentence = refusal({ [name]: url, ROLLKEY_KMS_TOKEN: undefined })
      expect(sentence).toContain(`${name} must be aws-kms: and the ARN of a key, `)
      expect(sentence).not.toContain(canary)
    }
  })

  test.each(['', 'PREVIOUS_'])('ROLLKEY_%sKMS_URL goes with what belongs to it alone', (which) => {
    const of = (url: string | undefined, token: string | undefined, masterKey?: string) => ({
      [`ROLLKEY_${which}KMS_URL`]: url,
      [`ROLLKEY_${which}KMS_TOKEN`]: token,
      [`ROLLKEY_${which}MASTER_KEY`]: masterKey,
    })
    expect(readConfig(of(vault, canary))).toMatchObject({ [`${which}KMS_TOKEN`]: canary })
    expect(refusal(of('age:file', undefined, canary))).toBe(
      `ROLLKEY_${which}KMS_URL and ROLLKEY_${which}MASTER_KEY are both set: keep one (docs/keys.md explains how to change from one to the other).`,
    )
    expect(refusal(of(vault, undefined))).toBe(
      `ROLLKEY_${which}KMS_URL needs ROLLKEY_${which}KMS_TOKEN, or ?role=… at its end for the Kubernetes login.`,
    )
    for (const url of [undefined, 'age:file', `aws-kms:${arn}`, `${vault}?role=rollkey`]) {
      expect(refusal(of(url, canary))).toBe(
        `ROLLKEY_${which}KMS_TOKEN requires a ROLLKEY_${which}KMS_URL of Vault without a role: unset it.`,
      )
    }
  })
})

describe('an unknown name', () => {
  test.each([
    ['ROLLKEY_PROT', ' (did you mean ROLLKEY_PORT?)'],
    ['ROLLKEY_DATA', ' (did you mean ROLLKEY_DATA_DIR?)'],
    ['ROLLKEY_', ''],
    ['ROLLKEY_port', ''],
    ['ROLLKEY_PORT_', ' (did you mean ROLLKEY_PORT?)'],
    ['ROLLKEY_PORT_FILE', ''],
    ['ROLLKEY__FILE', ''],
    ['ROLLKEY_ENVIRONMENT', ''],
  ])('%s is refused', (name, hint) => {
    expect(refusal({ [name]: canary })).toBe(`${name} is not a setting of Rollkey${hint}: see docs/settings.md.`)
  })
})

describe('traces', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://otel-collector:4318/'
  const secure = 'https://otel.example'

  test('need a collector, without which no variable of OpenTelemetry is read', () => {
    expect(readConfig({ OTEL_TRACES_SAMPLER: 'x', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual(readConfig({}))
    for (const off of [{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])
      expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...off }).TRACES).toBeUndefined()
    expect(readDemoConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).TRACES).toBeUndefined()
  })

  test('go to a path of the collector, with all requests that the caller does not leave out', () => {
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME: '' }).TRACES).toEqual({
      url: 'http://otel-collector:4318/v1/traces',
      headers: {},
      resource: { 'service.name': 'rollkey' },
      sampler: { followsCaller: true, ratio: 1 },
    })
  })

  test('have settings that come before those of all signals', () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${secure}/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: ' authorization = Basic%20YQ== , x-team=a',
      OTEL_SERVICE_NAME: 'secrets',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,k8s.pod.name=rollkey-0',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }
    expect(readConfig(environment).TRACES).toEqual({
      url: `${secure}/otlp`,
      headers: { authorization: 'Basic YQ==', 'x-team': 'a' },
      resource: { 'service.name': 'secrets', 'k8s.pod.name': 'rollkey-0' },
      sampler: { followsCaller: false, ratio: 0.25 },
    })
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', `ftp://${canary}`, 'an http or https URL'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/json'],
    ['OTEL_EXPORTER_OTLP_HEADERS', canary, 'name=value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a b=${canary}`, 'name=value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a=b%0A${canary}`, 'name=value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a=${canary}%`, 'percent-encoded'],
    ['OTEL_RESOURCE_ATTRIBUTES', `=${canary}`, 'name=value'],
    ['OTEL_TRACES_SAMPLER', canary, 'parentbased_traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'from 0 to 1'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'otlp or none'],
  ])('%s cannot be %s', (name, value, expected) => {
    const message = refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: secure, [name]: value })
    expect(message).toContain(`${name} must be`)
    expect(message).toContain(expected)
    expect(message).not.toContain(canary)
  })

  test('send no header in plaintext to another machine', () => {
    const OTEL_EXPORTER_OTLP_HEADERS = `x-key=${canary}`
    expect(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS })).toContain('needs an https URL')
    for (const url of [secure, 'http://127.0.0.1:4318'])
      expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS }).TRACES?.headers).toEqual({
        'x-key': canary,
      })
  })
})

test('the metrics cannot have the port of the service', () => {
  expect(refusal({ ROLLKEY_METRICS_PORT: '8787' })).toBe(
    'ROLLKEY_METRICS_PORT and ROLLKEY_PORT are the same port: choose another one, or unset ROLLKEY_METRICS_PORT.',
  )
})

describe('a secret', () => {
  test.each(['MASTER_KEY', 'IDP_MEMBERSHIP_TOKEN'])('%s can come from a file, without the line end', (name) => {
    const config = readConfig({ [`ROLLKEY_${name}_FILE`]: fileWith(` ${canary}\n`) })
    expect(config).toMatchObject({ [name]: canary })
  })

  test('is marked in the documentation', () => {
    const fromFile = settings.filter((each) => each.fromFile).map(({ name }) => name)
    expect(fromFile).toEqual([
      'ROLLKEY_DATABASE_URL',
      'ROLLKEY_MASTER_KEY',
      'ROLLKEY_PREVIOUS_MASTER_KEY',
      'ROLLKEY_KMS_TOKEN',
      'ROLLKEY_PREVIOUS_KMS_TOKEN',
      'ROLLKEY_IDP_MEMBERSHIP_TOKEN',
      'ROLLKEY_SETUP_PASSWORD',
      'ROLLKEY_METRICS_TOKEN',
      'ROLLKEY_AUDIT_STREAM',
      'ROLLKEY_AUDIT_STREAM_TOKEN',
      'ROLLKEY_BILLING_SECRET',
      'ROLLKEY_SMTP_URL',
    ])
  })

  test('cannot be set and come from a file at once', () => {
    const both = { ROLLKEY_MASTER_KEY: canary, ROLLKEY_MASTER_KEY_FILE: fileWith(canary) }
    expect(refusal(both)).toBe('ROLLKEY_MASTER_KEY and ROLLKEY_MASTER_KEY_FILE are both set: keep one.')
  })

  test('of a file that is not there is refused without quoting the path', () => {
    const missing = path.join(temporaryFolder(), canary)
    expect(refusal({ ROLLKEY_MASTER_KEY_FILE: missing })).toBe(
      'ROLLKEY_MASTER_KEY_FILE names a file that cannot be read: check its path and permissions.',
    )
    expect(refusal({ ROLLKEY_MASTER_KEY_FILE: '' })).toBe(
      'ROLLKEY_MASTER_KEY_FILE names a file that cannot be read: check its path and permissions.',
    )
  })

  test('of an empty file is refused like an empty setting', () => {
    expect(refusal({ ROLLKEY_MASTER_KEY_FILE: fileWith('\n') })).toBe('ROLLKEY_MASTER_KEY must not be empty.')
  })

  test('from a file is never quoted either', () => {
    const file = fileWith(`mysql://${canary}`)
    chmodSync(file, 0o600)
    expect(refusal({ ROLLKEY_DATABASE_URL_FILE: file })).not.toContain(canary)
  })
})

test('settings of the command line do not affect the service', () => {
  expect(readConfig({ ROLLKEY_URL: 'http://localhost:1', ROLLKEY_STAGE: 'dev', ROLLKEY_TOKEN: 'svc_st_x' })).toEqual(
    readConfig({}),
  )
})

test('the generated files are current: npm run generate', async () => {
  for (const { path: file, text } of await generated()) {
    expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'), file).toBe(text)
  }
})

describe('company sign-in', () => {
  const google = { ROLLKEY_SIGN_IN: 'google', ROLLKEY_SIGN_IN_GOOGLE_CLIENT_ID: 'id' }

  test('knows the issuer of Google', () => {
    expect(readConfig(google).COMPANIES).toMatchObject([
      { name: 'google', issuer: 'https://accounts.google.com', label: 'Google', clientId: 'id', join: undefined },
    ])
  })

  test('reads who joins which organization', () => {
    const groups = { ROLLKEY_SIGN_IN_GOOGLE_GROUPS_CLAIM: 'realm.groups' }
    expect(readConfig({ ...google, ...groups }).COMPANIES).toMatchObject([{ groupsClaim: 'realm.groups' }])
    expect(() => readConfig({ ...google, ROLLKEY_SIGN_IN_GOOGLE_GROUPS_CLAIM: ' ' })).toThrow('must not be empty')
    const joins = { ROLLKEY_SIGN_IN_GOOGLE_JOIN: 'acme:admin', ROLLKEY_SIGN_IN_GOOGLE_DOMAINS: 'Acme.example' }
    expect(readConfig({ ...google, ...joins }).COMPANIES).toMatchObject([
      { join: { organization: 'acme', role: 'admin' }, domains: ['acme.example'] },
    ])
  })

  test.each([
    [{ ROLLKEY_SIGN_IN: 'okta' }, 'ROLLKEY_SIGN_IN_OKTA_ISSUER is not set, but ROLLKEY_SIGN_IN lists okta: set it.'],
    [
      { ...google, ROLLKEY_SIGN_IN_OKTA_CLIENT_ID: 'id' },
      'ROLLKEY_SIGN_IN_OKTA_CLIENT_ID is not a setting of a provider',
    ],
    [{ ...google, ROLLKEY_SIGN_IN_GOOGLE_JOIN: 'acme:owner' }, 'must be an organization and the role member or admin'],
    [{ ...google, ROLLKEY_SIGN_IN_GOOGLE_JOIN: 'acme:member' }, 'needs _DOMAINS or _TENANTS'],
    [
      { ...google, ROLLKEY_IDP_ISSUER: 'https://idp.example.com' },
      'ROLLKEY_SIGN_IN and ROLLKEY_IDP_ISSUER are both set',
    ],
    [{ ...google, ROLLKEY_SIGN_IN_GOOGLE_ISSUER: 'http://idp.example.com' }, 'must be an https URL'],
  ])('refuses %j', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message)
  })
})

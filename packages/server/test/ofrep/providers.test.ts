/** Tests that the maintained providers of OFREP can read the service's answers, by the rules in `providers.ts`. */
import { request, type IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '@rollkey/contract'
import { roll, secret } from '../../testkit/entries.ts'
import { FakeVault } from '../../testkit/kms/vault.ts'
import { pathOf } from '../../testkit/ofrep.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  startTestEnv,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../../testkit/test-env.ts'
import {
  providers,
  typeOf,
  unreadInError,
  unreadInFlag,
  unreadInFlags,
  type Getter,
  type Provider,
  type ValueType,
} from './providers.ts'

const testEnv = useTestEnv()
const path = '/ofrep/v1/evaluate/flags'
const user = { targetingKey: 'user-1', plan: 'pro' }
const labels = { a: 'on', b: 'off' }
const rules = [{ when: { plan: { equals: 'pro' } }, then: 'b' }]

/** Kinds of variables, and the getter that a program uses for each. */
const variables: readonly (readonly [name: string, getter: Getter, entry: object])[] = [
  ['boolean', 'boolean', secret('boolean', 'false', 'boolean')],
  ['int64', 'integer', secret('int64', '-42', 'int64')],
  ['int64 of 33 bits', 'integer', secret('int64 of 33 bits', '4294967296', 'int64')],
  ['float', 'float', secret('float', '0.5', 'float')],
  ['whole float', 'float', secret('whole float', '1', 'float')],
  ['exponent', 'float', secret('exponent', '1e2', 'float')],
  ['object', 'object', secret('object', '{"a":[1,null]}', 'json')],
  ['list', 'object', secret('list', '[1,null]', 'json')],
  ['null', 'object', secret('null', 'null', 'json')],
  ['JSON boolean', 'boolean', secret('JSON boolean', 'true', 'json')],
  ['JSON text', 'string', secret('JSON text', '"x"', 'json')],
  ['string', 'string', secret('string', '', 'string')],
  ['date', 'string', secret('date', '2027-02-28', 'date')],
  ['no type', 'string', secret('no type', '1')],
  ['roll', 'string', roll('roll', 0.5)],
  ['roll by pin', 'string', { ...roll('roll by pin', 0), pins: { a: [user.targetingKey] } }],
  ['roll by rule', 'float', { ...roll('roll by rule', 0.5, '1', '2'), declaredType: 'float', rules }],
  ['labeled roll', 'boolean', { ...roll('labeled roll', 1, 'true', 'false'), declaredType: 'boolean', labels }],
]
const tooLarge = secret('too large', '9007199254740993', 'int64')

const oddKeys =
  'new checkout|a/b|a//b|/a|a/|a%2Fb|100%|Grüße|a?b|a?b=c&d|a#b|a"<>^{}b|a\\b|a+b|!$&\'()*,;=:@[]~|flags|__proto__|.|..'.split(
    '|',
  )
const valueOf = (key: string): string => `value of ${key}`

interface Flag {
  readonly key: string
  readonly value?: unknown
}

interface FlagAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: Flag & { readonly flags?: readonly Flag[] }
  /** Types of the values of flags. */
  readonly types: ReadonlyMap<object, ValueType>
}

/** Sends a request to exactly this URL, which fetch would encode. */
async function ask(
  url: string,
  token?: string,
  { body = JSON.stringify({ context: user }), userAgent = 'none' } = {},
): Promise<FlagAnswer> {
  const { origin } = new URL(url)
  const credential = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...credential }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(origin, { method: 'POST', path: url.slice(origin.length), headers }, resolve)
    sent.on('error', reject).end(body)
  })
  const types = new Map<object, ValueType>()
  function noteType(this: object, name: string, value: unknown, { source }: { source?: string } = {}): unknown {
    if (name === 'value') types.set(this, typeOf(value, source))
    return value
  }
  const parsed = JSON.parse(await textOf(answer), noteType) as FlagAnswer['body']
  return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], body: parsed, types }
}

let tenant: TestTenant
let token: string
let url: string

beforeAll(async () => {
  ;({ url } = testEnv.app)
  tenant = await newOwner(testEnv)
  const odd = oddKeys.map((key) => secret(key, valueOf(key)))
  await write(testEnv, tenant, [...variables.map(([, , entry]) => entry), ...odd, tooLarge])
  const { projectSlug, stageSlug } = tenant.at
  token = (await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'reader' })).token as string
})

/** Returns the errors of a path: that of a flag, or that of all flags. */
async function errorsOf(rest: '/roll' | ''): Promise<FlagAnswer[]> {
  const at = `${url}${path}${rest}`
  const elsewhere = pathOf({ ...tenant.at, stageSlug: 'elsewhere' })
  return [
    await ask(at, token, { body: '{' }),
    await ask(at, token, { body: '{"context":[]}' }),
    await ask(at, tenant.token),
    await ask(at),
    await ask(`${url}${elsewhere}${path}${rest}`, token),
    await ask(at, token, { body: ' '.repeat(limits.bodyBytes + 1) }),
    ...(rest === '' ? [] : await errorsOfFlags()),
    ...(await errorsOfPlanAndStore(rest)),
  ]
}

async function errorsOfFlags(): Promise<FlagAnswer[]> {
  return [
    await ask(`${url}${path}/roll`, token, { body: '{"context":{}}' }),
    await ask(`${url}${path}/too%20large`, token),
    await ask(`${url}${path}/missing`, token),
  ]
}

async function errorsOfPlanAndStore(rest: string): Promise<FlagAnswer[]> {
  const vault = new FakeVault()
  await vault.start()
  onTestFinished(() => vault.stop())
  const kms = { KMS_URL: `vault:${vault.newKey()}`, KMS_TOKEN: vault.newToken() }
  const limited = await startTestEnv({ ...kms, PLAN: 'free', FREE_EVALUATIONS: '1', RATE_LIMIT_EVALUATIONS: '2' })
  const other = await newTenant(limited)
  await write(limited, other, [roll('roll', 1)])
  await write(limited, tenantAt(other, { projectSlug: 'other' }), [roll('roll', 1)])
  await limited.restart()
  limited.clock.freezeAt(limited.clock.now())
  const below = (projectSlug: string) => `${limited.app.url}${pathOf({ ...other.at, projectSlug })}${path}${rest}`
  expect(await ask(below('shop'), other.token)).toMatchObject({ status: 200 })
  const unpaid = await ask(below('shop'), other.token)
  const excessive = await ask(below('shop'), other.token)
  await limited.restart()
  vault.failureMode = { status: 503 }
  return [unpaid, excessive, await ask(below('other'), other.token)]
}

test.each(providers)(
  '$language reads every kind of variable, but for those that docs/ofrep.md names',
  async (provider) => {
    const { urlOf, userAgent, unreadable = [] } = provider
    const all = await ask(`${url}${path}`, token, { userAgent })
    expect(unreadInFlags(provider, all.body)).toEqual([])
    for (const [name, getter] of variables) {
      const { body, types } = urlOf ? await ask(`${url}${path}/${encodeURIComponent(name)}`, token) : all
      const flag = body.flags?.find(({ key }) => key === name) ?? body
      const problems = unreadInFlag(provider, flag, types.get(flag), getter)
      expect(problems.length > 0, `${name}: ${problems.join()}`).toBe(unreadable.includes(name))
    }
  },
)

test.each([
  ['one flag', '/roll', [400, 400, 400, 401, 403, 413, 400, 400, 404, 402, 429, 503]],
  ['all flags', '', [400, 400, 400, 401, 403, 413, 402, 429, 503]],
] as const)(
  'each provider that gets %s reads every error, but for those that docs/ofrep.md names',
  async (_, rest, statuses) => {
    const errors = await errorsOf(rest)
    expect(errors.map(({ status }) => status)).toEqual(statuses)
    for (const provider of providers.filter(({ urlOf }) => (urlOf !== undefined) === (rest !== '')))
      for (const error of errors) {
        const problems = unreadInError(provider, error)
        const isNamed = provider.unreadable?.includes(String(error.status)) === true
        expect(problems.length > 0, `${provider.language} ${error.status}: ${problems.join()}`).toBe(isNamed)
      }
  },
)

const byFlag = providers.filter(({ urlOf }) => urlOf)

test.each(byFlag)(
  '$language gets flags of every key, but for those that docs/ofrep.md names',
  async ({ urlOf, lostKeys }) => {
    for (const base of [url, `${url}/`]) {
      const lost: string[] = []
      for (const key of oddKeys) {
        const flagUrl = urlOf?.(base, key)
        const answer = flagUrl === undefined ? undefined : await ask(flagUrl, token)
        if (answer?.body.value !== valueOf(key)) lost.push(key)
      }
      expect(lost).toEqual(lostKeys)
    }
  },
)

test.each(byFlag)(
  '$language has a base URL with the path of a stage, unless it drops that',
  async ({ urlOf, dropsPath }) => {
    for (const end of ['', '/']) {
      const flagUrl = urlOf?.(`${url}${pathOf(tenant.at)}${end}`, 'roll') ?? ''
      expect((await ask(flagUrl, tenant.token)).status).toBe(dropsPath ? 400 : 200)
    }
  },
)

test('a key that is sent as is, with all characters that a request line may have, is found', async () => {
  for (const key of oddKeys.filter((each) => !/[ #%]|[^\0-\x7F]/.test(each)))
    expect((await ask(`${url}${path}/${key}`, token)).body).toMatchObject({ key, value: valueOf(key) })
})

describe('the rules find', () => {
  const flag = { key: 'F', value: 1, reason: 'STATIC', variant: 'default', metadata: {} }
  const languagesThatCannot = (problemsOf: (provider: Provider) => string[]): string[] =>
    providers.filter((each) => problemsOf(each).length > 0).map(({ language }) => language)

  test('a flag without a variant', () => {
    const { variant: _, ...bare } = flag
    expect(languagesThatCannot((each) => unreadInFlag(each, bare, 'int32', 'integer'))).toEqual([
      'Python',
      'Ruby',
      'PHP',
    ])
    expect(languagesThatCannot((each) => unreadInFlag(each, flag, 'int32', 'integer'))).toEqual([])
  })

  test('a float that is sent as an integer', () => {
    expect(typeOf(1, '1')).toBe('int32')
    expect(languagesThatCannot((each) => unreadInFlag(each, flag, typeOf(1, '1'), 'float'))).toEqual([
      'Python',
      'Ruby',
      'Java',
      'PHP',
    ])
  })

  test('an error without details, one with a value, and all flags with a stream', () => {
    const error = { status: 400, body: { errorCode: 'GENERAL' }, retryAfter: undefined }
    expect(languagesThatCannot((each) => unreadInError(each, error))).toEqual(['Python', 'Ruby', 'PHP'])
    const odd = { ...error, status: 503, body: { value: 1 } }
    expect(languagesThatCannot((each) => unreadInError(each, odd))).toEqual(['Rust'])
    expect(languagesThatCannot((each) => unreadInFlags(each, { flags: [flag], eventStreams: [] }))).toEqual(['Kotlin'])
  })
})

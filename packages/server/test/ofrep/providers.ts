/**
 * What the maintained providers of OFREP need: their requests and the answers that they can read, from their sources. What they cannot do
 * is here too, and docs/ofrep.md names it.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'

type Schema = Readonly<Record<string, unknown>>

/** The type of a JSON value as languages with integers read it. */
export type ValueType = 'boolean' | 'string' | 'int32' | 'int64' | 'float' | 'object' | 'list' | 'null'

export type Getter = 'boolean' | 'string' | 'integer' | 'float' | 'object'

export interface Provider {
  readonly language: string
  /** Package and version. */
  readonly source: string
  /** Returns the URL of a flag, or undefined if the program asks for none. Absent: it gets all flags at once. */
  readonly urlOf?: (baseUrl: string, key: string) => string | undefined
  /** Whether it replaces the path of the base URL. */
  readonly dropsPath?: true
  readonly userAgent?: string
  /** A flag with a value. */
  readonly flag: Schema
  /** The answer with all flags. */
  readonly flags?: Schema
  /** Types of values that a getter takes, where they are not those of `strictly`. */
  readonly getters?: Partial<Record<Getter, readonly ValueType[]>>
  /** Errors by status. It reads nothing of one that is absent. */
  readonly errors: Readonly<Partial<Record<number | 'other', Schema>>>
  /** Keys of the test whose flags it does not get. */
  readonly lostKeys?: readonly string[]
  /** Variables of the test, and statuses of errors, that it cannot read. */
  readonly unreadable?: readonly string[]
}

const strictly: Readonly<Record<Getter, readonly ValueType[]>> = {
  boolean: ['boolean'],
  string: ['string'],
  integer: ['int32', 'int64'],
  float: ['float'],
  object: ['object', 'list'],
}
const anyNumber = ['int32', 'int64', 'float'] as const
const anyValue = ['boolean', 'string', ...anyNumber, 'object', 'list', 'null'] as const

const path = '/ofrep/v1/evaluate/flags/'
const withoutSlash = (baseUrl: string): string => baseUrl.replace(/\/$/, '')
const isBadEscape = /%(?![0-9A-F]{2})/i

/** Returns the URL as most libraries send it: without a fragment, encoded where it must be, and with the dots of its path resolved. */
function sent(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return `${origin}${pathname}${search}`
}

/** Returns the URL as Python's requests and PHP's Guzzle send it, which encode a backslash, too. */
function lightlyEncoded(baseUrl: string, key: string): string {
  return sent(`${withoutSlash(baseUrl)}${path}${key.replaceAll('\\', '%5C')}`)
}

/** Returns the URL as the JDK's client sends it: only what is not ASCII is encoded, and it refuses what a URL cannot have. */
function javaUrl(baseUrl: string, key: string): string | undefined {
  if (/[ "<>\\^`{|}]/.test(key) || isBadEscape.test(key)) return undefined
  return `${baseUrl}${path}${key.replace(/#.*/, '')}`.replaceAll(/[^\0-\x7F]+/g, encodeURIComponent)
}

/** Returns the URL as Go's url.JoinPath makes it: the key is a path that may be encoded already. */
function goUrl(baseUrl: string, key: string): string | undefined {
  if (isBadEscape.test(key)) return undefined
  const encoded = encodeURIComponent(decodeURIComponent(key)).replaceAll('%2F', '/')
  return sent(`${withoutSlash(baseUrl)}${`${path}${encoded}`.replaceAll(/\/+/g, '/')}`)
}

const text = { type: 'string' }
const optionalText = { type: ['string', 'null'] }
const reason = { enum: ['STATIC', 'SPLIT', 'TARGETING_MATCH'] }
const errorCode = { enum: ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'GENERAL', 'FLAG_NOT_FOUND'] }

function having(required: string[], properties: Schema = {}): Schema {
  return { type: 'object', required, properties }
}

const optionalTexts = {
  key: optionalText,
  reason: optionalText,
  variant: optionalText,
  errorCode: optionalText,
  errorDetails: optionalText,
}
const javaAnswer = having([], {
  ...optionalTexts,
  metadata: { type: 'object', additionalProperties: { not: { type: 'null' } } },
})
const dotNetAnswer = having([], { ...optionalTexts, metadata: { type: 'object' } })
const kotlinFlag = {
  ...having(['key'], {
    ...optionalTexts,
    key: text,
    value: {},
    errorCode: { enum: [...errorCode.enum, null] },
    metadata: { type: 'object', additionalProperties: { type: ['string', 'boolean', 'integer'] } },
  }),
  additionalProperties: false,
}

export const providers: readonly Provider[] = [
  {
    language: 'Python',
    source: 'openfeature-provider-ofrep 0.3.0',
    urlOf: lightlyEncoded,
    flag: having(['reason', 'variant'], { reason }),
    errors: { 400: having(['errorCode', 'errorDetails']), 404: having(['errorDetails']) },
    lostKeys: ['a%2Fb', 'a#b', '.', '..'],
    unreadable: ['null'],
  },
  {
    language: 'Ruby',
    source: 'openfeature-ofrep-provider 0.1.2',
    urlOf: (baseUrl, key) => sent(new URL(`${path}${encodeURIComponent(key).replaceAll('%20', '+')}`, baseUrl).href),
    dropsPath: true,
    flag: having(['key', 'value', 'reason', 'variant'], { reason }),
    errors: { 400: having(['key', 'error_code']) },
    lostKeys: ['new checkout', '.', '..'],
    unreadable: ['null', '400'],
  },
  {
    language: 'Java',
    source: 'dev.openfeature.contrib.providers:ofrep 0.0.2',
    urlOf: javaUrl,
    flag: javaAnswer,
    getters: { integer: ['int32'], object: anyValue.filter((type) => type !== 'null') },
    errors: { other: javaAnswer },
    lostKeys: ['new checkout', 'a%2Fb', '100%', 'a#b', 'a"<>^{}b', 'a\\b'],
    unreadable: ['int64 of 33 bits', 'null'],
  },
  {
    language: 'Go',
    source: 'github.com/open-feature/go-sdk-contrib/providers/ofrep 0.1.7',
    urlOf: goUrl,
    flag: having([], { key: text, reason: text, variant: text, metadata: { type: 'object' } }),
    getters: { float: anyNumber, object: anyValue },
    errors: {
      400: having([], { key: text, errorCode: text, errorDetails: text }),
      500: having([], { errorDetails: text }),
    },
    lostKeys: ['a//b', '/a', 'a%2Fb', '100%', '.', '..'],
  },
  {
    language: '.NET',
    source: 'OpenFeature.Providers.Ofrep 0.1.5',
    urlOf: (baseUrl, key) => sent(new URL(`${path}${encodeURIComponent(key)}`, baseUrl).href),
    dropsPath: true,
    flag: dotNetAnswer,
    getters: { integer: ['int32'], float: anyNumber, object: anyValue },
    errors: { 400: dotNetAnswer },
    lostKeys: ['.', '..'],
    unreadable: ['int64 of 33 bits'],
  },
  {
    language: 'PHP',
    source: 'open-feature/go-feature-flag-provider 1.1.0',
    urlOf: lightlyEncoded,
    flag: having(['key', 'value', 'reason', 'variant'], {
      key: text,
      reason,
      variant: text,
      metadata: { type: 'object' },
    }),
    errors: { 400: having(['key', 'errorCode', 'errorDetails'], { errorCode, errorDetails: text }) },
    lostKeys: ['a%2Fb', 'a#b', '.', '..'],
    unreadable: ['null'],
  },
  {
    language: 'Rust',
    source: 'open-feature-ofrep 0.1.2',
    urlOf: (baseUrl, key) => sent(`${baseUrl}${path}${key}`),
    flag: {},
    getters: { float: anyNumber, object: ['object'] },
    // It reads all statuses but these as a success.
    errors: { 400: {}, 401: {}, 403: {}, 404: {}, 429: {}, other: { type: 'object', not: having(['value']) } },
    lostKeys: ['a%2Fb', 'a#b', 'a\\b', '.', '..'],
    unreadable: ['list', 'null'],
  },
  {
    language: 'Kotlin',
    source: 'dev.openfeature.kotlin.contrib.providers:ofrep 0.1.0',
    userAgent: 'ktor-client',
    flag: kotlinFlag,
    flags: { ...having([], { flags: { items: kotlinFlag } }), additionalProperties: false },
    getters: { integer: ['int32'], float: anyNumber, object: anyValue },
    errors: { 400: { ...having(['errorCode'], { errorCode, errorDetails: text }), additionalProperties: false } },
    unreadable: ['int64 of 33 bits'],
  },
]

/** Returns the type of a JSON value. The text of a number decides whether it is an integer. */
export function typeOf(value: unknown, source = ''): ValueType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'number') return typeof value as 'boolean' | 'string' | 'object'
  if (!/^-?\d+$/.test(source)) return 'float'
  return Math.abs(value) < 2 ** 31 ? 'int32' : 'int64'
}

const ajv = new Ajv2020({ strict: false })

function mismatches(schema: Schema | undefined, body: unknown): string[] {
  return !schema || ajv.validate(schema, body) ? [] : [ajv.errorsText()]
}

/** Returns why a provider cannot read a flag for a getter. Empty: it can. */
export function unreadInFlag(provider: Provider, flag: object, type: ValueType | undefined, getter: Getter): string[] {
  const taken: readonly unknown[] = provider.getters?.[getter] ?? strictly[getter]
  return [...mismatches(provider.flag, flag), ...(taken.includes(type) ? [] : [`the value of a ${getter} is ${type}`])]
}

/** Returns why a provider cannot read the answer with all flags. Empty: it can. */
export function unreadInFlags({ flags }: Provider, body: object): string[] {
  return mismatches(flags, body)
}

interface ErrorAnswer {
  readonly status: number
  readonly body: object
  readonly retryAfter: string | undefined
}

/** Returns why a provider cannot read an error. Empty: it can. */
export function unreadInError({ errors }: Provider, { status, body, retryAfter }: ErrorAnswer): string[] {
  const isWaiting = status !== 429 || /^\d+$/.test(retryAfter ?? '')
  return [...mismatches(errors[status] ?? errors.other, body), ...(isWaiting ? [] : ['Retry-After has no seconds'])]
}

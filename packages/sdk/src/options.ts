/** Refuses options that do not exist, which a program without types can misspell: a misspelled seed would decide at random. */
import { RollkeyError, type RollkeyErrorCode } from './errors.ts'
import { nearest } from './nearest.ts'
import type {
  CacheOptions,
  ClientOptions,
  GetOptions,
  InspectOptions,
  LocalOptions,
  RetryOptions,
  Roll,
  WatchOptions,
} from './types.ts'

/** Every option of a type, so that one that is added to the type must be added here. */
type Known<Options> = Readonly<Record<keyof Options, true>>

const roll: Known<Roll> = { seed: true, key: true, context: true }
const get: Known<GetOptions<unknown>> = { ...roll, default: true }
const inspect: Known<InspectOptions> = { explain: true }
const watch: Known<WatchOptions> = { since: true, intervalMs: true, signal: true, onReachable: true }
const local: Known<LocalOptions> = { names: true, snapshot: true, intervalMs: true, maxStaleMs: true, reports: true }
const cache: Known<CacheOptions> = { ttlMs: true, maxEntries: true, stale: true }
const retry: Known<RetryOptions> = { maxAttempts: true, baseDelayMs: true, maxDelayMs: true }
const client: Known<ClientOptions> = {
  url: true,
  org: true,
  project: true,
  stage: true,
  token: true,
  cache: true,
  snapshot: true,
  retry: true,
  timeoutMs: true,
  allowHttp: true,
  fetch: true,
}

/** Options by what other products and other words call them. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['userId', 'seed'],
  ['user', 'seed'],
  ['targetingKey', 'seed'],
  ['distinctId', 'seed'],
  ['environment', 'stage'],
  ['env', 'stage'],
  ['workspace', 'project'],
  ['apiKey', 'token'],
])

/** What `createClient` cannot do without, and what sets it. */
const required = {
  url: "the address of the service, such as 'https://rollkey.example.com'",
  org: "the slug of the organization, such as 'acme'",
  project: "the slug of the project, such as 'shop'",
  stage: "the slug of the stage, such as 'prod'",
  token: 'a service token, such as process.env.ROLLKEY_TOKEN',
} satisfies Partial<Record<keyof ClientOptions, string>>

/** Throws INVALID_REQUEST, or `code`, unless the options are an object of known ones. Undefined ones are none. */
function expectOptions<Options extends object>(
  options: Options | undefined,
  known: Known<Options>,
  code: RollkeyErrorCode = 'INVALID_REQUEST',
): void {
  if (options === undefined) return
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- programs without types pass null and texts
  if (typeof options !== 'object' || options === null)
    throw new RollkeyError(code, `Options must be an object (expected ${namesOf(known)}), such as { seed: 'user-1' }.`)
  // Without a copy of the names: decisions in the process are made millions of times a second.
  for (const field in options)
    if (!Object.hasOwn(known, field) && Object.hasOwn(options, field)) throw unknownOption(field, known, code)
}

function unknownOption(field: string, known: object, code: RollkeyErrorCode): RollkeyError {
  const what = `Unknown option ${JSON.stringify(field)}`
  if (field === 'default' && known === roll)
    return new RollkeyError(code, `${what}: only get of a client takes a default. Catch the error instead.`)
  const other = otherNames.get(field)
  const near = other !== undefined && Object.hasOwn(known, other) ? other : nearest(field, Object.keys(known))[0]
  const advice = near === undefined ? ` (expected ${namesOf(known)})` : `: did you mean ${JSON.stringify(near)}?`
  return new RollkeyError(code, what + advice)
}

function namesOf(known: object): string {
  return Object.keys(known).join(', ')
}

export function expectRoll(options: Roll | undefined): void {
  expectOptions(options, roll)
}

export function expectGet(options: GetOptions<unknown>): void {
  expectOptions(options, get)
}

export function expectInspect(options: InspectOptions): void {
  expectOptions(options, inspect)
}

export function expectWatch(options: WatchOptions): void {
  expectOptions(options, watch)
}

export function expectLocal(options: LocalOptions): void {
  expectOptions(options, local)
}

/** Throws INVALID_SETTING. */
export function expectClient(options: ClientOptions): void {
  expectOptions(options, client, 'INVALID_SETTING')
  for (const [name, what] of Object.entries(required))
    if (options[name as keyof typeof required] === undefined)
      throw new RollkeyError('INVALID_SETTING', `The option ${JSON.stringify(name)} is missing: pass ${what}.`)
  if (options.cache) expectOptions(options.cache, cache, 'INVALID_SETTING')
  if (options.retry) expectOptions(options.retry, retry, 'INVALID_SETTING')
}

import { afterEach, expect, test, vi } from 'vitest'
import { createApi, type Fetch, type FetchInit } from '../src/core.ts'
import { createClient, type RollkeyError } from '../src/index.ts'

afterEach(() => vi.unstubAllGlobals())

/** Calls the API with a `fetch`. */
function callWith(fetch: Fetch): Promise<unknown> {
  return createApi({ url: 'http://localhost', fetch }).call('webSettings', {})
}

async function sentInit(): Promise<FetchInit | undefined> {
  let sent: FetchInit | undefined
  await callWith(async (_, init) => {
    sent = init
    return new Response('{"requestId":"1"}')
  })
  return sent
}

test('a fetch that stores answers, as that of Next.js, is asked not to', async () => {
  expect(await sentInit()).toMatchObject({ cache: 'no-store' })
})

test.each([
  ['Workers from before November 2024', { prototype: {} }],
  ['a page of jsdom', undefined],
])('the option is absent where fetch may refuse it: %s', async (_, request) => {
  vi.stubGlobal('Request', request)
  expect(await sentInit()).not.toHaveProperty('cache')
})

test('the error by which Next.js stops rendering a page in advance reaches Next.js', async () => {
  const dynamic = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' })
  let attempts = 0
  const call = callWith(async () => {
    attempts++
    throw dynamic
  })
  await expect(call).rejects.toBe(dynamic)
  expect(attempts).toBe(1)
})

/** Returns what a program sees of an error of the service. */
async function seen(code: string, message: string, url = 'https://rollkey.test'): Promise<RollkeyError> {
  const fetch: Fetch = async () => Response.json({ error: { code, message, requestId: '1' } }, { status: 404 })
  const client = createClient({ url, org: 'acme', project: 'shop', stage: 'prd', token: 't', fetch, retry: false })
  return client.get('LIMIT').then(
    () => Promise.reject(new Error('no error')),
    (error: RollkeyError) => error,
  )
}

test.each([
  [
    'UNAUTHORIZED',
    'The token is missing, unknown, expired or revoked: send one as "Authorization: Bearer …".',
    'https://rollkey.test refused the token: it is missing, unknown, expired or revoked. Create one with rollkey token create, or log in with rollkey login.',
  ],
  [
    'INVALID_ORG_SCOPE',
    'orgSlug is not the organization of the token.',
    'The organization "acme" is not the organization of the token, which rollkey whoami shows.',
  ],
  [
    'VARIABLE_NOT_FOUND',
    'The stage has no variable "LIMIT".',
    'The stage shop/prd has no variable "LIMIT" that the token may read. Compare with rollkey list --project shop --stage prd.',
  ],
])('what the service says is said with the names of the program: %s', async (code, message, expected) => {
  expect(await seen(code, message)).toMatchObject({ code, message: expected, requestId: '1' })
})

test('an address with a path is named where nothing is', async () => {
  const nothing = 'There is nothing at this path, or what the request names does not exist.'
  expect((await seen('NOT_FOUND', nothing, 'https://rollkey.test/app')).message).toBe(
    `${nothing} The address https://rollkey.test/app has a path: leave it out, unless a proxy needs it.`,
  )
  expect((await seen('METHOD_NOT_ALLOWED', 'Not so.', 'https://rollkey.test/docs')).message).toContain(
    'The address https://rollkey.test/docs has a path',
  )
  expect((await seen('NOT_FOUND', nothing)).message).toBe(nothing)
})

test.each([
  ['localhost:8898', 'the address begins without http or https. Write http://localhost:8898.'],
  ['rollkey.example', 'the address begins without http or https. Write https://rollkey.example.'],
  ['https://me:hunter2@a', 'invalid address (expected one such as https://rollkey.example.com, '],
])('createClient says what to write for the address %s', (url, message) => {
  const create = () => createClient({ url, org: 'acme', project: 'shop', stage: 'prod', token: 'svc_st_a' })
  expect(create).toThrow(`url: ${message}`)
  expect(create).not.toThrow('hunter2')
})

test.each([
  ['', 'The token is empty: set ROLLKEY_TOKEN'],
  ['svc_st_a b', 'The token contains characters that no token has'],
  ['"svc_st_a"', 'such as quotes, spaces or line breaks. Copy it again, without what is around it.'],
])('a token that is none is refused without quoting it: %j', async (token, message) => {
  const client = createClient({ url: 'https://rollkey.test', org: 'acme', project: 'shop', stage: 'prod', token })
  const failure = await client.get('LIMIT').catch((error: Error) => error.message)
  expect(failure).toContain(message)
  expect(failure).not.toContain('svc_st_a')
})

/** Returns an error as that of `fetch` in Node. */
function failed(cause: object): Error {
  return new TypeError('fetch failed', { cause })
}

test.each([
  [{ code: 'ECONNREFUSED' }, '(ECONNREFUSED): nothing listens there. Start the service'],
  [{ errors: [{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }] }, '(ECONNREFUSED): nothing listens there. '],
  [{ code: 'ENOTFOUND' }, '(ENOTFOUND): no machine has this name. Correct the address'],
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, '(ERR_SSL_WRONG_VERSION_NUMBER): there is no TLS at this port. '],
  [{ code: 'CERT_HAS_EXPIRED' }, '(CERT_HAS_EXPIRED): its certificate has expired. '],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'Set NODE_EXTRA_CA_CERTS to a file'],
  [{ code: 'EOTHER' }, 'http://localhost cannot be reached (EOTHER).'],
  [{}, 'http://localhost cannot be reached.'],
])('an address without a service says what helps: %j', async (cause, message) => {
  const api = createApi({ url: 'http://localhost', retry: false, fetch: () => Promise.reject(failed(cause)) })
  await expect(api.call('webSettings', {})).rejects.toThrow(message)
})

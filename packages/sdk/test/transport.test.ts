import { afterEach, expect, test, vi } from 'vitest'
import { createApi, type Fetch, type FetchInit } from '../src/core.ts'

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

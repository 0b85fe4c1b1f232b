import { expect, test } from 'vitest'
import type { Fetch } from '@rollkey/sdk'
import type { Context } from '../../../src/frame/context.ts'
import { Source } from '../../../src/imports/source.ts'

const program = { name: 'Vault', tokenVariable: 'VAULT_TOKEN', tokenAdvice: 'a token', headers: () => ({}) }

function sourceWith(fetch: Fetch): Source {
  const context = { env: { VAULT_TOKEN: 'canary' }, allowHttp: false, fetch } as unknown as Context
  return new Source(context, program, 'https://vault.test/', 1)
}

/** Waits until the request is ended, as a program that hangs does. */
const hanging: Fetch = (_url, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })

test.each<[string, Fetch, string]>([
  ['hangs', hanging, 'Vault at https://vault.test did not answer within 0.001 s. Check --address'],
  [
    'hangs in the middle of its answer',
    async (url, init) => ({
      status: 200,
      headers: { get: () => null },
      body: null,
      text: () => hanging(url, init).then(String),
    }),
    'Vault at https://vault.test did not answer within 0.001 s. Check --address',
  ],
  [
    'cannot be reached',
    () => Promise.reject(new Error('the request failed', { cause: { code: 'ECONNREFUSED' } })),
    'Vault at https://vault.test cannot be reached (ECONNREFUSED): nothing listens there. Start the service, or correct the address. Check --address, the network and the proxy',
  ],
])('a program that %s ends the import', async (_what, fetch, message) => {
  await expect(sourceWith(fetch).read('v1/secret/data/a')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    status: 8,
    message: expect.stringContaining(message),
  })
})

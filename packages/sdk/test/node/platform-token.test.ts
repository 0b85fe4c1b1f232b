/** Where the ID token of a trust comes from: the environment, a file or the runner of a job. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../src/node/index.ts'
import type { Fetch } from '../../src/transport.ts'
import { useFolder } from '../../../server/testkit/folder.ts'

const cwd = useFolder()
const tokenFile = path.join(cwd, 'id-token')
const url = 'https://rollkey.example'
const runner = 'https://runner.example/token?api-version=2'

const env = {
  ROLLKEY_URL: url,
  ROLLKEY_ORG: 'acme',
  ROLLKEY_PROJECT: 'shop',
  ROLLKEY_STAGE: 'prod',
  ROLLKEY_CONFIG_DIR: path.join(cwd, 'config'),
  ROLLKEY_KEYCHAIN: 'off',
  ROLLKEY_TRUST: 'tru_1',
}
const actions = { ACTIONS_ID_TOKEN_REQUEST_URL: runner, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner-credential' }

let requests: { readonly url: string; readonly authorization: string | undefined; readonly body: string | null }[]
let ofRunner: () => Response
beforeEach(() => {
  requests = []
  ofRunner = () => Response.json({ count: 1, value: 'id-of-runner' })
})

/** The service, and the runner of a job. */
const fetch: Fetch = async (address, { headers, body }) => {
  requests.push({ url: address, authorization: headers['authorization'], body })
  if (address.startsWith('https://runner.example')) return ofRunner()
  if (address.endsWith('/oauth/token')) return Response.json({ access_token: 'svc_at_1', expires_in: 900 })
  return Response.json({ name: 'A', kind: 'secret', value: 'one', projects: [], requestId: 'r' })
}

const connected = (more: Record<string, string>) => connect({ cwd, fetch, cache: false, env: { ...env, ...more } })

/** Returns the ID token that was exchanged. */
function exchanged(): string | null {
  const body = requests.find((request) => request.url === `${url}/oauth/token`)?.body
  return new URLSearchParams(body ?? '').get('subject_token')
}

test('an ID token of the environment is exchanged once for all requests', async () => {
  const client = await connected({ ROLLKEY_ID_TOKEN: 'id-of-env\n' })
  await Promise.all([client.get('A'), client.projects()])
  await client.get('A')
  expect(exchanged()).toBe('id-of-env')
  expect(requests.map((request) => request.authorization)).toEqual([undefined, ...Array(3).fill('Bearer svc_at_1')])
})

test('an ID token in a file is read for each exchange', async () => {
  writeFileSync(tokenFile, 'first\n')
  const client = await connected({ ROLLKEY_ID_TOKEN_FILE: tokenFile })
  writeFileSync(tokenFile, 'second\n')
  await client.get('A')
  expect(exchanged()).toBe('second')
})

describe('the runner of a job', () => {
  test('issues an ID token for this service', async () => {
    await (await connected(actions)).get('A')
    expect(requests[0]).toEqual({
      url: `${runner}&audience=${encodeURIComponent(url)}`,
      authorization: 'Bearer runner-credential',
      body: null,
    })
    expect(exchanged()).toBe('id-of-runner')
  })

  test('issues one for another audience if the environment names it', async () => {
    await (await connected({ ...actions, ROLLKEY_ID_TOKEN_AUDIENCE: 'rollkey' })).get('A')
    expect(requests[0]?.url).toBe(`${runner}&audience=rollkey`)
  })

  test.each([
    ['refuses', () => new Response('runner-credential', { status: 403 })],
    ['returns no token', () => Response.json({})],
    [
      'cannot be reached',
      () => {
        throw new TypeError('fetch failed')
      },
    ],
  ])('that %s is an error without its credential', async (_, answer) => {
    ofRunner = answer
    const error = (await (await connected(actions)).get('A').catch((reason: unknown) => reason)) as Error
    expect(error).toMatchObject({ code: 'UNREACHABLE' })
    expect(error.message).toContain('The runner of this job returned')
    expect(error.message).not.toContain('credential')
  })
})

describe('the environment', () => {
  test('needs an ID token for a trust', async () => {
    await expect(connected({})).rejects.toMatchObject({ code: 'INVALID_SETTING' })
    await expect(connected({})).rejects.toThrow('give the job the permission id-token: write')
  })

  test.each([
    [{ ROLLKEY_ID_TOKEN: ' ' }, 'No token in ROLLKEY_ID_TOKEN: it is empty.'],
    [{ ROLLKEY_ID_TOKEN_FILE: path.join(cwd, 'none') }, 'cannot be read (ENOENT). Set ROLLKEY_ID_TOKEN_FILE'],
  ])('with %j is refused', async (more, text) => {
    await expect(connected(more)).rejects.toThrow(text)
  })

  test('with a token and a trust uses the token', async () => {
    await (await connected({ ...actions, ROLLKEY_TOKEN: 'svc_st_env' })).get('A')
    expect(requests).toMatchObject([{ authorization: 'Bearer svc_st_env' }])
  })

  test('without a trust ignores the ID token of a job', async () => {
    const { ROLLKEY_TRUST: _, ...rest } = env
    const connecting = connect({ cwd, fetch, cache: false, env: { ...rest, ...actions } })
    await expect(connecting).rejects.toMatchObject({ code: 'LOGIN_NEEDED' })
  })
})

test('no ID token is requested or sent for an address that only rollkey.json names', async () => {
  writeFileSync(path.join(cwd, 'rollkey.json'), JSON.stringify({ url: 'https://elsewhere.example' }))
  const { ROLLKEY_URL: _, ...rest } = env
  await expect(connect({ cwd, fetch, cache: false, env: { ...rest, ...actions } })).rejects.toMatchObject({
    code: 'UNTRUSTED_URL',
  })
  expect(requests).toEqual([])
})

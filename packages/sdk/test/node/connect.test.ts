import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { connect, openCredentials, tokenFromEnvironment } from '../../src/node/index.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'rollkey-connect-'))
const tokenFile = path.join(cwd, 'token')
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const env = {
  ROLLKEY_URL: 'https://rollkey.example',
  ROLLKEY_ORG: 'acme',
  ROLLKEY_PROJECT: 'shop',
  ROLLKEY_STAGE: 'prod',
  ROLLKEY_CONFIG_DIR: path.join(cwd, 'config'),
  ROLLKEY_KEYCHAIN: 'off',
}

interface Asked {
  readonly url: string
  readonly token: string | null
  readonly body: object
}
let asked: Asked[] = []
beforeEach(() => {
  asked = []
})

/** A service that knows one variable, and whose tokens are all of acme. */
const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const url = input instanceof Request ? input.url : input.toString()
  const token = new Headers(init?.headers).get('authorization')
  asked.push({ url, token, body: JSON.parse((init?.body as string | null) ?? '{}') as object })
  const answer = url.endsWith('/whoami') ? { orgSlug: 'acme' } : { name: 'A', kind: 'secret', value: 'one' }
  return Response.json({ ...answer, requestId: 'r' })
}

const common = { cwd, fetch, cache: false } as const

test('asks for what the environment names', async () => {
  const client = await connect({ ...common, env: { ...env, ROLLKEY_TOKEN: 'svc_st_env\n' } })
  expect(await client.get('A')).toBe('one')
  expect(asked).toEqual([
    {
      url: 'https://rollkey.example/v1/env/evaluate',
      token: 'Bearer svc_st_env',
      body: { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod', name: 'A' },
    },
  ])
})

test('options win over flags, and flags over the environment', async () => {
  const flags = { project: 'flag', stage: 'flag' }
  const token = { ...env, ROLLKEY_TOKEN: 'svc_st_env' }
  const client = await connect({ ...common, env: token, flags, stage: 'option', token: 'svc_st_option' })
  await client.get('A')
  expect(asked[0]).toMatchObject({ token: 'Bearer svc_st_option', body: { projectSlug: 'flag', stageSlug: 'option' } })
})

test('without an organization takes the one of the token', async () => {
  const { ROLLKEY_ORG: _, ...rest } = env
  await (await connect({ ...common, env: { ...rest, ROLLKEY_TOKEN: 'svc_st_env' } })).get('A')
  expect(asked.map(({ url }) => new URL(url).pathname)).toEqual(['/v1/whoami', '/v1/env/evaluate'])
  expect(asked[1]?.body).toMatchObject({ orgSlug: 'acme' })
})

test('without a token uses the session of the command line, and of its organization', async () => {
  const { ROLLKEY_ORG: _, ...rest } = env
  const tokens = { accessToken: 'svc_at_mine', refreshToken: 'svc_rt_mine' }
  const times = { accessTokenExpiresAtMs: Date.now() + 3_600_000, refreshTokenExpiresAtMs: Date.now() + 3_600_000 }
  await openCredentials({ env }).save({ url: env.ROLLKEY_URL, orgSlug: 'mine', ...tokens, ...times })
  await (await connect({ ...common, env: rest })).get('A')
  expect(asked).toMatchObject([{ token: 'Bearer svc_at_mine', body: { orgSlug: 'mine' } }])
  const none = connect({ ...common, env })
  await expect(none).rejects.toMatchObject({ code: 'LOGIN_NEEDED' })
  await expect(none).rejects.toThrow(
    'Nobody is logged in to acme at https://rollkey.example. Run rollkey login, or set ROLLKEY_TOKEN.',
  )
})

test('says what is missing', async () => {
  const { ROLLKEY_STAGE: _, ...rest } = env
  const connecting = connect({ ...common, env: rest, token: 'svc_st_x' })
  await expect(connecting).rejects.toMatchObject({ code: 'INVALID_SETTING' })
  await expect(connecting).rejects.toThrow(
    'No stage is set. Give it to connect, set ROLLKEY_STAGE, or write it to rollkey.json (rollkey init).',
  )
  // Of a client that needs no stage.
  await connect({ ...common, env: rest, token: 'svc_st_x', stage: '' })
})

describe('a token file', () => {
  test('is read again for each request', async () => {
    writeFileSync(tokenFile, 'svc_st_first\n')
    const client = await connect({ ...common, env: { ...env, ROLLKEY_TOKEN_FILE: tokenFile } })
    await client.get('A')
    writeFileSync(tokenFile, 'svc_st_second\n')
    await client.get('A')
    expect(asked.map(({ token }) => token)).toEqual(['Bearer svc_st_first', 'Bearer svc_st_second'])
  })

  test('gives way to ROLLKEY_TOKEN', () => {
    writeFileSync(tokenFile, 'svc_st_file')
    expect(tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: tokenFile })).toBe('svc_st_file')
    expect(tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: tokenFile, ROLLKEY_TOKEN: 'svc_st_env' })).toBe('svc_st_env')
    expect(tokenFromEnvironment({})).toBeUndefined()
  })

  test('that is missing or empty is refused by name, and so is an empty ROLLKEY_TOKEN', () => {
    writeFileSync(tokenFile, '\n')
    expect(() => tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: tokenFile })).toThrow(`no token in the file ${tokenFile}`)
    const missing = path.join(cwd, 'missing')
    expect(() => tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: missing })).toThrow(`${missing} of ROLLKEY_TOKEN_FILE`)
    expect(() => tokenFromEnvironment({ ROLLKEY_TOKEN: '' })).toThrow('There is no token in ROLLKEY_TOKEN')
  })
})

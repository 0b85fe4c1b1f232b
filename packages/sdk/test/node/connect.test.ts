import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { connect, openCredentials, openTrustedUrls, tokenFromEnvironment } from '../../src/node/index.ts'
import { useFolder } from '../../../server/testkit/folder.ts'

const cwd = useFolder()
const tokenFile = path.join(cwd, 'token')

const env = {
  ROLLKEY_URL: 'https://rollkey.example',
  ROLLKEY_ORG: 'acme',
  ROLLKEY_PROJECT: 'shop',
  ROLLKEY_STAGE: 'prod',
  ROLLKEY_CONFIG_DIR: path.join(cwd, 'config'),
  ROLLKEY_KEYCHAIN: 'off',
}

interface SentRequest {
  readonly url: string
  readonly token: string | null
  readonly body: object
}
let requests: SentRequest[] = []
beforeEach(() => {
  requests = []
  rmSync(env.ROLLKEY_CONFIG_DIR, { recursive: true, force: true })
})

/** A service with one variable, whose tokens all belong to acme. */
const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const url = input instanceof Request ? input.url : input.toString()
  const token = new Headers(init?.headers).get('authorization')
  requests.push({ url, token, body: JSON.parse((init?.body as string | null) ?? '{}') as object })
  const answer = url.endsWith('/whoami') ? { orgSlug: 'acme' } : { name: 'A', kind: 'secret', value: 'one' }
  return Response.json({ ...answer, requestId: 'r' })
}

const common = { cwd, fetch, cache: false } as const

test('uses the stage that the environment names', async () => {
  const client = await connect({ ...common, env: { ...env, ROLLKEY_TOKEN: 'svc_st_env\n' } })
  expect(await client.get('A')).toBe('one')
  expect(requests).toEqual([
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
  expect(requests[0]).toMatchObject({
    token: 'Bearer svc_st_option',
    body: { projectSlug: 'flag', stageSlug: 'option' },
  })
})

test('without an organization uses that of the token', async () => {
  const { ROLLKEY_ORG: _, ...rest } = env
  await (await connect({ ...common, env: { ...rest, ROLLKEY_TOKEN: 'svc_st_env' } })).get('A')
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(['/v1/whoami', '/v1/env/evaluate'])
  expect(requests[1]?.body).toMatchObject({ orgSlug: 'acme' })
})

test('without a token uses the session of the command line and its organization', async () => {
  const { ROLLKEY_ORG: _, ...rest } = env
  const tokens = { accessToken: 'svc_at_mine', refreshToken: 'svc_rt_mine' }
  const times = { accessTokenExpiresAtMs: Date.now() + 3_600_000, refreshTokenExpiresAtMs: Date.now() + 3_600_000 }
  await openCredentials({ env }).save({ url: env.ROLLKEY_URL, orgSlug: 'mine', ...tokens, ...times })
  await (await connect({ ...common, env: rest })).get('A')
  expect(requests).toMatchObject([{ token: 'Bearer svc_at_mine', body: { orgSlug: 'mine' } }])
  // Its address, too, if nothing else states one, but no token goes there.
  const { ROLLKEY_URL: _url, ...placed } = rest
  await (await connect({ ...common, env: placed })).get('A')
  expect(requests[1]).toMatchObject({ url: `${env.ROLLKEY_URL}/v1/env/evaluate`, token: 'Bearer svc_at_mine' })
  await (await connect({ ...common, env: placed, token: 'svc_st_option' })).get('A')
  expect(requests.at(-1)).toMatchObject({ url: 'http://localhost:8787/v1/env/evaluate', token: 'Bearer svc_st_option' })
  const none = connect({ ...common, env })
  await expect(none).rejects.toMatchObject({ code: 'LOGIN_NEEDED' })
  await expect(none).rejects.toThrow(
    'Not logged in to acme at https://rollkey.example. Run rollkey login, or set ROLLKEY_TOKEN.',
  )
})

test('without a login and an address says that the address is the default one, and how to name another', async () => {
  const { ROLLKEY_URL: _url, ROLLKEY_ORG: _org, ...placed } = env
  await expect(connect({ ...common, env: placed })).rejects.toThrow(
    'Not logged in to http://localhost:8787, which is used because no address is set. Run rollkey login --url URL, or set ROLLKEY_TOKEN.',
  )
})

test('names the setting that is missing', async () => {
  const { ROLLKEY_STAGE: _, ...rest } = env
  const connecting = connect({ ...common, env: rest, token: 'svc_st_x' })
  await expect(connecting).rejects.toMatchObject({ code: 'INVALID_SETTING' })
  await expect(connecting).rejects.toThrow(
    'No stage is set. Pass connect({ stage }), set ROLLKEY_STAGE, or write it to rollkey.json (rollkey init).',
  )
  // This client needs no stage.
  await connect({ ...common, env: rest, token: 'svc_st_x', stage: '' })
})

describe('where only rollkey.json names the address', () => {
  const repository = path.join(cwd, 'repository')
  const file = path.join(repository, 'rollkey.json')
  const url = 'https://elsewhere.example'
  const { ROLLKEY_URL: _url, ...rest } = env
  const withToken = { ...rest, ROLLKEY_TOKEN: 'svc_st_env' }
  const cloned = { ...common, cwd: repository, env: withToken }

  beforeEach(() => {
    mkdirSync(repository, { recursive: true })
    writeFileSync(file, JSON.stringify({ url }))
    chmodSync(file, 0o600)
  })

  test.each([
    ['ROLLKEY_TOKEN', withToken, {}],
    ['ROLLKEY_TOKEN_FILE', { ...rest, ROLLKEY_TOKEN_FILE: tokenFile }, {}],
    ['the option token', rest, { token: 'svc_st_option' }],
  ])('a token of %s is not sent, and the error says what to do', async (_, environment, options) => {
    writeFileSync(tokenFile, 'svc_st_file')
    const refused = connect({ ...cloned, env: environment, ...options })
    await expect(refused).rejects.toMatchObject({ code: 'UNTRUSTED_URL' })
    await expect(refused).rejects.toThrow(
      `The token was not sent to ${url}: only ${file} names this address. Pass connect({ url }), set ROLLKEY_URL, ` +
        `or trust it once with rollkey trust-url ${url}.`,
    )
    expect(requests).toEqual([])
  })

  test.each([
    ['the environment names it too', { env: { ...withToken, ROLLKEY_URL: url } }],
    ['a flag names it too', { flags: { url } }],
    ['an option names it too', { url }],
    ['the file itself is named', { config: file }],
  ])('a token is sent if %s', async (_, options) => {
    await (await connect({ ...cloned, ...options })).get('A')
    expect(requests).toMatchObject([{ url: `${url}/v1/env/evaluate` }])
  })

  test('a token is sent to a trusted address until the address is removed', async () => {
    const trusted = openTrustedUrls({ env })
    expect(trusted.list()).toEqual([])
    expect(await trusted.add(`${url}/`)).toBe(url)
    expect(trusted.list()).toEqual([url])
    expect(statSync(trusted.file).mode & 0o777).toBe(0o600)
    await (await connect(cloned)).get('A')
    expect(requests).toHaveLength(1)
    expect(await trusted.remove(url)).toBe(true)
    expect(await trusted.remove(url)).toBe(false)
    await expect(connect(cloned)).rejects.toMatchObject({ code: 'UNTRUSTED_URL' })
  })

  test('a damaged list trusts no address and is left as is', async () => {
    const trusted = openTrustedUrls({ env })
    mkdirSync(path.dirname(trusted.file), { recursive: true })
    writeFileSync(trusted.file, '{"urls":')
    await expect(connect(cloned)).rejects.toThrow(`${trusted.file}, which stores trusted addresses, is damaged.`)
    await expect(trusted.add(url)).rejects.toMatchObject({ code: 'INVALID_SETTING' })
    expect(readFileSync(trusted.file, 'utf8')).toBe('{"urls":')
    rmSync(trusted.file)
  })

  test('a token is sent to the default address', async () => {
    writeFileSync(file, JSON.stringify({ url: 'http://localhost:8787' }))
    await (await connect(cloned)).get('A')
    expect(requests).toMatchObject([{ url: 'http://localhost:8787/v1/env/evaluate' }])
  })

  test('a file that is ignored makes a notice', async () => {
    chmodSync(file, 0o666)
    const notices: string[] = []
    await (await connect({ ...cloned, onNotice: (notice) => notices.push(notice) })).get('A')
    expect(notices).toEqual([expect.stringContaining(`Ignored ${file}: other users can write to it.`)])
    expect(requests).toMatchObject([{ url: 'http://localhost:8787/v1/env/evaluate' }])
  })
})

describe('plain http to another machine', () => {
  const remote = { ...env, ROLLKEY_URL: 'http://rollkey.example', ROLLKEY_TOKEN: 'svc_st_env' }

  test('is refused, for tokens and for logins', async () => {
    const refused = connect({ ...common, env: remote })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_SETTING' })
    await expect(refused).rejects.toThrow('http://rollkey.example is plain http to another machine')
    const { ROLLKEY_TOKEN: _token, ...rest } = remote
    const times = { accessTokenExpiresAtMs: Date.now() + 3_600_000, refreshTokenExpiresAtMs: Date.now() + 3_600_000 }
    const session = { url: remote.ROLLKEY_URL, orgSlug: 'acme', accessToken: 'svc_at_x', refreshToken: 'svc_rt_x' }
    await openCredentials({ env }).save({ ...session, ...times })
    await expect(connect({ ...common, env: rest })).rejects.toThrow('plain http')
    expect(requests).toEqual([])
  })

  test.each([
    ['the option allowHttp', { allowHttp: true }, {}],
    ['ROLLKEY_INSECURE_HTTP', {}, { ROLLKEY_INSECURE_HTTP: '1' }],
  ])('is allowed by %s', async (_, options, more) => {
    await (await connect({ ...common, ...options, env: { ...remote, ...more } })).get('A')
    expect(requests).toHaveLength(1)
  })

  test('stays refused if the option says so', async () => {
    const options = { ...common, allowHttp: false, env: { ...remote, ROLLKEY_INSECURE_HTTP: '1' } }
    await expect(connect(options)).rejects.toThrow('plain http')
  })

  test.each(['http://localhost:1', 'http://127.0.0.1:1', 'http://127.9.9.9:1', 'http://[::1]:1'])(
    'is not what %s is',
    async (url) => {
      await (await connect({ ...common, env: { ...remote, ROLLKEY_URL: url } })).get('A')
      expect(requests).toHaveLength(1)
    },
  )

  test.each(['http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://a.localhost', 'http://0.0.0.0'])(
    'is what %s is',
    async (url) => {
      await expect(connect({ ...common, env: { ...remote, ROLLKEY_URL: url } })).rejects.toThrow('plain http')
    },
  )
})

describe('a token file', () => {
  test('is read for each request', async () => {
    writeFileSync(tokenFile, 'svc_st_first\n')
    const client = await connect({ ...common, env: { ...env, ROLLKEY_TOKEN_FILE: tokenFile } })
    await client.get('A')
    writeFileSync(tokenFile, 'svc_st_second\n')
    await client.get('A')
    expect(requests.map(({ token }) => token)).toEqual(['Bearer svc_st_first', 'Bearer svc_st_second'])
  })

  test('gives way to ROLLKEY_TOKEN', () => {
    writeFileSync(tokenFile, 'svc_st_file')
    expect(tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: tokenFile })).toBe('svc_st_file')
    expect(tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: tokenFile, ROLLKEY_TOKEN: 'svc_st_env' })).toBe('svc_st_env')
    expect(tokenFromEnvironment({})).toBeUndefined()
  })

  test('that is missing or empty is refused by name, and so is an empty ROLLKEY_TOKEN', () => {
    writeFileSync(tokenFile, '\n')
    expect(() => tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: tokenFile })).toThrow(`No token in the file ${tokenFile}`)
    const missing = path.join(cwd, 'missing')
    expect(() => tokenFromEnvironment({ ROLLKEY_TOKEN_FILE: missing })).toThrow(`The file ${missing} cannot be read`)
    expect(() => tokenFromEnvironment({ ROLLKEY_TOKEN: '' })).toThrow('No token in ROLLKEY_TOKEN')
  })
})

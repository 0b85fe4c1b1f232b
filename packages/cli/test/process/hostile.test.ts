/** A repository, a service or a value of an attacker: what `rollkey` sends, opens and shows. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { desktopOf, type Desktop } from '../../testkit/desktop.ts'
import { startHostileService } from '../../testkit/hostile-service.ts'
import { inPipe, onTerminal, type Setting } from '../../testkit/run.ts'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'

const escape = '\u001b]0;owned\u0007\u001b[31m\u009b2J\u202e'
const escaped = String.raw`\u001b]0;owned\u0007\u001b[31m\u009b2J\u202e`
const token = 'svc_st_of-the-environment'

const service = useFixture(startHostileService)
let folder: string
/** Settings of a repository whose rollkey.json names the service. */
let setting: Setting

beforeEach(() => {
  folder = temporaryFolder()
  const cwd = path.join(folder, 'repository')
  mkdirSync(path.join(cwd, '.git'), { recursive: true })
  writeFileSync(
    path.join(cwd, 'rollkey.json'),
    JSON.stringify({ url: service.url, org: 'acme', project: 'shop', stage: 'dev' }),
  )
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    ROLLKEY_CONFIG_DIR: `${folder}/config`,
    ROLLKEY_KEYCHAIN: 'off',
  }
  setting = { cwd, env }
  service.seen.splice(0)
})

describe('a repository that names another service', () => {
  const withToken = (): Setting => ({ ...setting, env: { ...setting.env, ROLLKEY_TOKEN: token } })

  test.each([
    ['list'],
    ['set', 'A', 'x'],
    ['run', '--', 'true'],
    ['whoami'],
    ['init', '--force', '--project', 'a', '--stage', 'b'],
    ['token', 'create', 'x'],
  ])('receives no token of the environment: %s %s', async (...args) => {
    const { status, stderr } = await inPipe(args, withToken())
    expect(service.seen).toEqual([])
    expect(status).toBe(2)
    expect(stderr).toContain(`UNTRUSTED_URL: The token was not sent to ${service.url}`)
    expect(stderr).toContain(`Pass --url, set ROLLKEY_URL, or trust it once with rollkey trust-url ${service.url}`)
    expect(stderr).not.toContain(token)
  })

  test('receives no token from doctor and config, which say so', async () => {
    const { stdout } = await inPipe(['doctor'], withToken())
    expect(stdout).toContain('environment ROLLKEY_TOKEN, not sent to this address (rollkey trust-url)')
    expect((await inPipe(['config'], withToken())).stdout).toContain('not sent to this address')
    expect(service.seen).toEqual([{ path: '/readyz', authorization: undefined }])
  })

  test('receives the token once its address is trusted, passed by a flag or named by --config', async () => {
    service.answers['/v1/env/list'] = { variables: [], revision: 1 }
    const sent = { path: '/v1/env/list', authorization: `Bearer ${token}` }
    expect(await inPipe(['list', '--url', service.url], withToken())).toMatchObject({ status: 0 })
    expect(await inPipe(['list', '--config', 'rollkey.json'], withToken())).toMatchObject({ status: 0 })
    expect(service.seen).toEqual([sent, sent])
    const added = await inPipe(['trust-url', `${service.url}/`], withToken())
    expect(added).toMatchObject({ status: 0, stderr: expect.stringContaining(`now sent to ${service.url}`) })
    expect((await inPipe(['trust-url', '--list'], setting)).stdout).toBe(`${service.url}\n`)
    expect(await inPipe(['list'], withToken())).toMatchObject({ status: 0 })
    expect(service.seen).toEqual([sent, sent, sent])
    expect(await inPipe(['trust-url', '--remove', service.url], setting)).toMatchObject({ status: 0 })
    expect(await inPipe(['trust-url', '--remove', service.url], setting)).toMatchObject({ status: 5 })
    expect(await inPipe(['list'], withToken())).toMatchObject({ status: 2 })
  })

  test('receives no request over plain http to another machine', async () => {
    const url = 'http://rollkey.example'
    const refused = await inPipe(['list', '--url', url], withToken())
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('allow plain http with --insecure-http'),
    })
    expect((await inPipe(['login', '--url', url], setting)).stderr).toContain('plain http to another machine')
    // The remaining error comes from the network: such a name does not exist.
    expect(await inPipe(['list', '--url', url, '--insecure-http'], withToken())).toMatchObject({ status: 8 })
  })

  test('is ignored with a notice if all users can write to its file', async () => {
    chmodSync(path.join(setting.cwd, 'rollkey.json'), 0o666)
    const { stderr } = await inPipe(['config'], setting)
    expect(stderr).toBe(
      `Ignored ${path.join(setting.cwd, 'rollkey.json')}: other users can write to it. To use it anyway, pass --config.\n`,
    )
  })
})

describe('login at a service that returns a page', () => {
  let desktop: Desktop

  beforeEach(() => {
    desktop = desktopOf(setting, folder)
  })

  /** Logs in on a desktop with a program in place of the browser. */
  async function login(page: string, keys?: string) {
    service.answers['/v1/cli/device/start'] = {
      deviceCode: 'd',
      userCode: `ABCD${escape}`,
      verificationUri: page,
      verificationUriComplete: `${page}?user_code=ABCDEFGH`,
      intervalSec: 1,
      expiresInSec: 600,
    }
    return onTerminal(['login'], desktop.setting, keys === undefined ? [] : [['Open http', keys]])
  }

  test.each(['file:///evil.desktop', 'javascript:alert(1)', 'smb://evil/share', 'evil.exe', '-e'])(
    '%s opens nothing',
    async (page) => {
      const { status, screen } = await login(page)
      expect(status).toBe(1)
      expect(screen).toContain('is not an http or https URL')
      expect(desktop.opened()).toBeUndefined()
    },
  )

  test('of another origin shows both and opens it only after a confirmation', async () => {
    const { status, screen } = await login('https://rollkey.example/device', '\r')
    expect(screen).toContain(`The service is at ${service.url}, but this page is at https://rollkey.example.`)
    expect(screen).toContain('CANCELLED')
    expect(status).toBe(1)
    expect(desktop.opened()).toBeUndefined()
    await login('https://rollkey.example/device', 'y')
    await expect.poll(desktop.opened).toBe('https://rollkey.example/device?user_code=ABCDEFGH\n')
  })

  test('of the same origin opens it, shows the source of the address and escapes all texts', async () => {
    const { screen } = await login(`${service.url}/device\u001b[31m`)
    expect(screen).toContain(`Service ${service.url} (from ${path.join(setting.cwd, 'rollkey.json')})`)
    await expect.poll(desktop.opened).toBe(`${service.url}/device%1B[31m?user_code=ABCDEFGH\n`)
    expect(screen).toContain(escaped)
    expect(screen).not.toContain(escape)
  })
})

describe('a text of the service', () => {
  const byFlag = (): Setting => ({
    ...setting,
    env: { ...setting.env, ROLLKEY_TOKEN: token, ROLLKEY_URL: service.url },
  })
  const variable = { name: `A${escape}`, kind: 'secret', updatedAtMs: 0 }

  test.each([
    ['names', ['list'], '/v1/env/list', { variables: [variable], revision: 1 }],
    ['names in JSON', ['list', '--json'], '/v1/env/list', { variables: [variable], revision: 1 }],
    ['a value', ['get', 'A', '--reveal'], '/v1/env/evaluate', { name: 'A', kind: 'secret', value: `B${escape}` }],
    ['values', ['pull', '-f', 'shell', '--reveal'], '/v1/env/pull', { variables: { A: `B${escape}` }, revision: 1 }],
    ['values in YAML', ['pull', '-f', 'yaml', '--reveal'], '/v1/env/pull', { variables: { A: escape }, revision: 1 }],
    ['an error', ['list'], '/v1/env/list', { error: { code: 'FORBIDDEN', message: `No${escape}`, requestId: 'r' } }],
    ['an identity', ['whoami'], '/v1/whoami', { orgSlug: escape, idpUserId: 'u', role: escape }],
    ['findings', ['doctor'], '/v1/whoami', { orgSlug: escape, idpUserId: 'u', role: escape }],
    [
      'a token',
      ['token', 'create', 'x', '--scope', 'organization'],
      '/v1/tokens/create',
      { token: escape, id: escape, expiresAtMs: 0 },
    ],
  ])('never makes a terminal do something: %s', async (_, args, at, answer) => {
    service.answers[at] = answer
    const { env, cwd } = byFlag()
    const { screen } = await onTerminal(args, { env: { ...env, NO_COLOR: '1' }, cwd })
    expect(screen).toMatch(/owned/)
    // oxlint-disable-next-line no-control-regex -- matches control characters
    expect(screen).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  test('is never interpreted by a terminal: in a question', async () => {
    service.answers['/v1/whoami'] = { orgSlug: 'acme', idpUserId: 'u', role: 'owner' }
    service.answers['/v1/projects/list'] = { projects: [{ projectSlug: `A${escape}`, stages: [] }] }
    const { screen } = await onTerminal(['init', '--force'], byFlag(), [['Which project', '\u0003']])
    expect(screen).toContain(`A${escaped}`)
    for (const raw of ['\u001b]0;owned', '\u202e']) expect(screen).not.toContain(raw)
  })

  test('is unchanged in a pipe', async () => {
    service.answers['/v1/env/evaluate'] = { name: 'A', kind: 'secret', value: `B${escape}` }
    service.answers['/v1/env/list'] = { variables: [variable], revision: 1 }
    expect((await inPipe(['get', 'A'], byFlag())).stdout).toBe(`B${escape}`)
    expect((await inPipe(['list'], byFlag())).stdout).toContain(`A${escape}\t`)
  })

  test('never becomes code in a declaration file', async () => {
    const code = '*/ }} process.exit(7) /*'
    service.answers['/v1/typegen/manifest'] = {
      revision: 1,
      variables: [
        { name: 'A', kind: 'ab_roll', chance: code },
        { name: 'B', kind: code, chance: code },
        { name: 'C', kind: 'secret', declaredType: 'constructor' },
        { name: `D: 1 ${code}\n`, kind: 'secret', declaredType: code },
      ],
    }
    const declaration = { name: `E ${code}`, description: code, required: code }
    service.answers['/v1/declarations/list'] = {
      declarations: [
        { ...declaration, constraint: { enum: [`'"\n${code}`], minimum: code, pattern: code, format: code } },
        { ...declaration, name: 'F', declaredType: 'int64', constraint: { enum: [code], minimum: code, maximum: 5 } },
        { ...declaration, name: 'G', declaredType: code, constraint: { enum: code, minLength: code } },
      ],
    }
    const { stdout: schema } = await inPipe(['typegen', '--stage', 'dev', '--format', 'zod'], byFlag())
    expect(schema.split('\n').slice(5)).toEqual([
      'export const schema = z.object({',
      String.raw`  "E */ }} process.exit(7) /*": z.enum(["'\"\n*/ }} process.exit(7) /*"]).optional().describe("*/ }} process.exit(7) /*"),`,
      '  "F": z.coerce.number().int().max(5).optional().describe("*/ }} process.exit(7) /*"),',
      '  "G": z.enum("*/ }} process.exit(7) /*").optional().describe("*/ }} process.exit(7) /*"),',
      '})',
      '',
      'export const env = schema.parse(process.env)',
      '',
    ])
    const { stdout } = await inPipe(['typegen', '--stage', `dev\u2028${code}\nprocess.exit(7)`], byFlag())
    expect(stdout)
      .toBe(`// The variables of shop/dev\\u2028*\\/ }} process.exit(7) /*\\u000aprocess.exit(7), generated by rollkey: do not edit. To update this file, run:
// rollkey typegen -o <this file>
import type {} from '@rollkey/sdk'

// prettier-ignore
declare module '@rollkey/sdk' {
  interface Variables {
    /** A/B roll. */
    A: string
    /** Its kind is newer than this version of rollkey. */
    B: string
    C: unknown
    "D: 1 */ }} process.exit(7) /*\\n": unknown
    /**
     * *\\/ }} process.exit(7) /*
     *
     * Secret. It may be absent.
     */
    "E */ }} process.exit(7) /*"?: "'\\"\\n*/ }} process.exit(7) /*"
    /**
     * *\\/ }} process.exit(7) /*
     *
     * Secret. It may be absent.
     */
    F?: bigint
    /**
     * *\\/ }} process.exit(7) /*
     *
     * Secret. It may be absent.
     */
    G?: unknown
  }
}
`)
  })
})

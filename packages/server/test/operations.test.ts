/** Tests the service from an operator's view: its process, paths and settings. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { openapi } from '@rollkey/contract'
import { describe, expect, test, vi } from 'vitest'
import { newestSchema } from '../src/storage/migrate.ts'
import { secret } from '../testkit/entries.ts'
import { temporaryFolder, useFolder } from '../testkit/folder.ts'
import { isLong } from '../testkit/long.ts'
import { programName, runMain, startProcess } from '../testkit/process.ts'
import { onPostgres, storedText } from '../testkit/store.ts'
import { newTenant, startTestEnv, useTestEnv, write } from '../testkit/test-env.ts'

describe('the service', () => {
  const testEnv = useTestEnv()

  test('answers 200 on livez and readyz while serving', async () => {
    expect((await testEnv.client.get('/livez')).status).toBe(200)
    expect((await testEnv.client.get('/readyz')).status).toBe(200)
  })

  test('counts answers and billing events in its metrics, without names', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('VERY_SPECIAL_NAME', '1')])
    await testEnv.client.must('evaluate', { ...tenant.at, name: 'VERY_SPECIAL_NAME' }, { token: tenant.token })
    const { text } = await testEnv.client.get('/metrics')
    expect(text).toMatch(/rollkey_requests_total\{endpoint="evaluate",status="200"\} [1-9]/)
    expect(text).toMatch(/rollkey_billing_events_total\{outcome="counted"\} [1-9]/)
    expect(text).toMatch(/rollkey_request_duration_seconds_count\{endpoint="evaluate"\} [1-9]/)
    expect(text).not.toContain('VERY_SPECIAL_NAME')
    expect(text).not.toContain(tenant.at.orgSlug)
  })

  test('serves the contract as openapi.json', async () => {
    expect((await testEnv.client.get('/openapi.json')).body).toEqual(JSON.parse(JSON.stringify(openapi())))
  })

  test('lets only the configured origins read answers', async () => {
    const listed = await startTestEnv({ CORS_ORIGINS: 'https://a.example,https://b.example' })
    const originOf = async (origin: string) => {
      const answer = await fetch(`${listed.app.url}/v1/cli/session`, { method: 'OPTIONS', headers: { origin } })
      return [answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]
    }
    expect(await originOf('https://b.example')).toEqual(['https://b.example', 'origin'])
    expect(await originOf('https://evil.example')).toEqual([null, 'origin'])
  })
})

describe('the process', () => {
  const dataDir = useFolder()

  test('finishes a request after a signal, ignores a repeated signal, and exits with 0', async () => {
    const server = await startProcess({ DATA_DIR: dataDir })
    const { url } = server
    const answer = new Promise<number>((resolve, reject) => {
      const body = JSON.stringify({ clientName: 'slow' })
      const outgoing = request(`${url}/v1/cli/device/start`, {
        method: 'POST',
        headers: { 'content-length': body.length, expect: '100-continue' },
      })
      outgoing.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      outgoing.on('error', reject)
      // The service says so when it has read the head.
      outgoing.on('continue', () => {
        outgoing.write(body.slice(0, 5))
        server.child.kill('SIGTERM')
        server.child.kill('SIGTERM')
        const hasBegun = (): boolean => server.output().includes('"msg":"stopping"')
        void vi.waitUntil(hasBegun, { timeout: 600_000 }).then(() => outgoing.end(body.slice(5)))
      })
      outgoing.flushHeaders()
    })
    expect(await answer).toBe(200)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(server.output()).toContain('"msg":"stopped"')
  })

  test('health exits with 0 while the service is ready, and with 8 after it has stopped', async () => {
    const server = await startProcess({ DATA_DIR: dataDir, HOST: '0.0.0.0' })
    const settings = { DATA_DIR: dataDir, HOST: '0.0.0.0', PORT: new URL(server.url).port }
    expect(await runMain(settings, ['health'])).toMatchObject({ code: 0, stdout: '{\n  "ready": true\n}\n' })
    await server.end('SIGTERM')
    const { code, stderr } = await runMain(settings, ['health'])
    expect([code, stderr]).toEqual([8, expect.stringMatching(/readyz does not answer \(expected 200\)/)])
  })

  test.skipIf(onPostgres)(
    'refuses a data directory that another server uses, and takes it over after a kill',
    async () => {
      const server = await startProcess({ DATA_DIR: dataDir })
      const second = await runMain({ DATA_DIR: dataDir, PORT: '0' })
      expect(second.code).toBe(1)
      expect(second.stderr).toMatch(
        /^Another Rollkey uses the data directory .+: stop it, or set ROLLKEY_DATA_DIR\.\n$/,
      )
      await server.end('SIGKILL')
      const next = await startProcess({ DATA_DIR: dataDir })
      expect(await next.end('SIGTERM')).toBe(0)
    },
  )

  test.skipIf(onPostgres)(
    'answers commands through a socket that only the owner may use, and commands open the store after its stop',
    async () => {
      const server = await startProcess({ DATA_DIR: dataDir })
      expect(statSync(path.join(dataDir, 'admin.sock')).mode & 0o777).toBe(0o600)
      const serving = await runMain({ DATA_DIR: dataDir }, ['status'])
      expect(JSON.parse(serving.stdout)).toMatchObject({ serving: true, schema: newestSchema() })
      await server.end('SIGTERM')
      const alone = await runMain({ DATA_DIR: dataDir }, ['status'])
      expect(JSON.parse(alone.stdout)).toMatchObject({ serving: false, schema: newestSchema() })
    },
  )

  test.runIf(isLong && !onPostgres)(
    'refuses an unknown command or a missing store with exit status 2 and one sentence',
    async () => {
      const unknown = await runMain({ DATA_DIR: dataDir }, ['constructor'])
      expect([unknown.code, unknown.stderr]).toEqual([
        2,
        `USAGE: unknown command 'constructor'; try: ${programName} --help\n`,
      ])
      const empty = await runMain({ DATA_DIR: path.join(dataDir, 'nowhere') }, ['status'])
      expect([empty.code, empty.stderr]).toEqual([
        2,
        expect.stringMatching(/^INVALID_SETTING: There is no store in .+: check ROLLKEY_DATA_DIR\n$/),
      ])
      const month = await runMain({ DATA_DIR: dataDir }, ['usage', '--month', 'november'])
      expect([month.code, month.stderr]).toEqual([
        2,
        `USAGE: Invalid --month (expected YYYY-MM, such as 2026-11); try: ${programName} usage --help\n`,
      ])
    },
  )

  test('refuses a different master key by name before anything is written', async () => {
    const other = temporaryFolder()
    const key = Buffer.alloc(32, 1).toString('base64')
    const server = await startProcess({ DATA_DIR: other, MASTER_KEY: key })
    await server.end('SIGTERM')
    const before = await storedText(other)
    const wrong = Buffer.alloc(32, 2).toString('base64')
    const refused = await runMain({ DATA_DIR: other, MASTER_KEY: wrong, PORT: '0' })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /^The master key local:[0-9a-f]{8} does not open this database \(expected local:[0-9a-f]{8}\)/,
    )
    expect(refused.stderr).not.toContain(wrong)
    expect(await storedText(other)).toBe(before)
  })

  test.runIf(isLong && !onPostgres).each([
    [{ PORT: 'http' }, 'ROLLKEY_PORT must be a whole number.'],
    [{ MASTER_KEY: 'short' }, 'ROLLKEY_MASTER_KEY is not a master key: it must be 32 bytes in base64'],
    [{ HOST: '192.0.2.1' }, '192.0.2.1 is not an address of this machine: set ROLLKEY_HOST.'],
    [{ BACKUP_RECIPIENT: `age1${'q'.repeat(58)}` }, 'ROLLKEY_BACKUP_RECIPIENT is not an age public key'],
    [
      { DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/x' },
      'The database of ROLLKEY_DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:1.',
    ],
  ])('refuses a wrong setting with one sentence: %j', async (settings, sentence) => {
    const { code, stderr } = await runMain({ DATA_DIR: path.join(dataDir, 'settings'), ...settings })
    expect(code).toBe(1)
    expect(stderr).toContain(sentence)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test.runIf(isLong && !onPostgres)('refuses a port that is in use', async () => {
    const server = await startProcess({ DATA_DIR: dataDir })
    const { port } = new URL(server.url)
    const refused = await runMain({ DATA_DIR: path.join(dataDir, 'other'), PORT: port })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toBe(`Port ${port} of 127.0.0.1 is in use: stop what uses it, or set ROLLKEY_PORT.\n`)
  })

  test.runIf(isLong && !onPostgres)('refuses a data directory that cannot be written', async () => {
    const file = path.join(dataDir, 'a-file')
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(file, '')
    const refused = await runMain({ DATA_DIR: file, PORT: '0' })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^The data directory .+ cannot be used/)
  })
})

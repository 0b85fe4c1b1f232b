/** Tests the clients of examples/ofrep in each language whose runtime this machine has. */
import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { roll, secret } from '../../testkit/entries.ts'
import { newOwner, newServiceToken, useTestEnv, write, type TestTenant } from '../../testkit/test-env.ts'

const testEnv = useTestEnv()
const folder = path.resolve(import.meta.dirname, '../../../../examples/ofrep')
const run = promisify(execFile)
let tenant: TestTenant
let token: string

beforeAll(async () => {
  tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [
    { ...roll('NEW CHECKOUT', 0.5, 'true', 'false'), declaredType: 'boolean', labels: { a: 'on', b: 'off' } },
    secret('LAYOUT', '{"title":"Grüße"}', 'json'),
    secret('COUNT', '10', 'int64'),
  ])
  token = (await newServiceToken(testEnv, tenant, { projectSlug: 'shop', stageSlug: 'prod', role: 'reader' })).token
})

interface Language {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Command that shows whether the language is there. */
  readonly version: readonly [string, ...string[]]
}

const languages: readonly Language[] = [
  { name: 'Python', command: ['python3', 'flag.py'], version: ['python3', '--version'] },
  { name: 'Ruby', command: ['ruby', 'flag.rb'], version: ['ruby', '--version'] },
  { name: 'PHP', command: ['php', 'flag.php'], version: ['php', '--version'] },
  { name: 'Go', command: ['go', 'run', 'flag.go'], version: ['go', 'version'] },
  { name: 'Java', command: ['java', 'Flag.java'], version: ['javac', '-version'] },
]

function exists({ version: [program, ...args] }: Language): boolean {
  return spawnSync(program, args).status === 0
}

async function output({ command: [program, ...args] }: Language, key: string, ...more: string[]): Promise<unknown> {
  const env = { ...process.env, OFREP_URL: testEnv.app.url, OFREP_TOKEN: token }
  const { stdout, stderr } = await run(program, [...args, key, ...more], { cwd: folder, env })
  if (stderr.startsWith('4')) return stderr.trim()
  const answer: unknown = JSON.parse(stdout)
  return answer !== null && typeof answer === 'object' && 'reason' in answer
    ? (answer as { value?: unknown }).value
    : answer
}

describe.each(languages)('$name', (language) => {
  test.runIf(exists(language))('gets the values of the service', async () => {
    for (const seed of ['user-1', 'Zoë "Z"']) {
      const request = { ...tenant.at, name: 'NEW CHECKOUT', seed }
      const { value } = await testEnv.client.must('evaluate', request, { token })
      expect(await output(language, 'NEW CHECKOUT', seed)).toBe(value === 'true')
    }
    expect(await output(language, 'LAYOUT')).toEqual({ title: 'Grüße' })
    expect(await output(language, 'COUNT', 'user-1')).toBe(10)
    expect(await output(language, 'NEW CHECKOUT')).toContain('400')
    expect(await output(language, 'MISSING')).toContain('404')
  })
})

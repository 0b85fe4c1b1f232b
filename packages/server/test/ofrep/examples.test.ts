/** Tests the clients of examples/ofrep in each language whose runtime this machine has. */
import { beforeAll, describe, expect, test } from 'vitest'
import { roll, secret } from '../../testkit/entries.ts'
import { examplePrograms, type ExampleProgram } from '../../testkit/example-programs.ts'
import { newOwner, newServiceToken, useTestEnv, write, type TestTenant } from '../../testkit/test-env.ts'

const testEnv = useTestEnv()
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

async function output({ run }: ExampleProgram, key: string, ...more: string[]): Promise<unknown> {
  const env = { OFREP_URL: testEnv.app.url, OFREP_TOKEN: token }
  const { stdout, stderr } = await run([key, ...more], { env })
  if (stderr.startsWith('4')) return stderr.trim()
  const answer: unknown = JSON.parse(stdout)
  return answer !== null && typeof answer === 'object' && 'reason' in answer
    ? (answer as { value?: unknown }).value
    : answer
}

describe.each(examplePrograms('ofrep', { java: 'Flag', others: 'flag' }))('$name', (program) => {
  test.runIf(program.isRunnable)('gets the values of the service', async () => {
    for (const seed of ['user-1', 'Zoë "Z"']) {
      const request = { ...tenant.at, name: 'NEW CHECKOUT', seed }
      const { value } = await testEnv.client.must('evaluate', request, { token })
      expect(await output(program, 'NEW CHECKOUT', seed)).toBe(value === 'true')
    }
    expect(await output(program, 'LAYOUT')).toEqual({ title: 'Grüße' })
    expect(await output(program, 'COUNT', 'user-1')).toBe(10)
    expect(await output(program, 'NEW CHECKOUT')).toContain('400')
    expect(await output(program, 'MISSING')).toContain('404')
  })
})

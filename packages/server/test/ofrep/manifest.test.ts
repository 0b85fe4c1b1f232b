/** Tests the manifest for the OpenFeature command line (github.com/open-feature/cli, api/v0/sync.yaml). */
import { expect, test } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import { answerOf } from '../../testkit/client.ts'
import { roll, secret } from '../../testkit/entries.ts'
import { pathOf } from '../../testkit/ofrep.ts'
import { assertPublished } from '../../testkit/published.ts'
import { newOwner, newServiceToken, useTestEnv, write } from '../../testkit/test-env.ts'

const testEnv = useTestEnv()

async function manifest(token: string, below = '') {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const answer = await answerOf(await fetch(`${testEnv.app.url}${below}/openfeature/v0/manifest`, { headers }))
  assertPublished('flagManifest', answer.status, answer.text)
  return answer
}

test('the manifest has name, type and description of each variable, and no value', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [
    { ...secret('A', 'canary-1'), description: 'What A is for' },
    secret('B', 'true', 'boolean'),
    secret('C', '4711', 'int64'),
    secret('D', '0.25', 'float'),
    secret('E', '{"canary":1}', 'json'),
    secret('F', '2027-01-31', 'date'),
    { ...roll('G', 0.5, 'true', 'false'), declaredType: 'boolean' },
  ])
  const { projectSlug, stageSlug } = tenant.at
  const { token } = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'reader' })
  const { status, headers, text, body } = await manifest(token)
  expect([status, headers.get('x-manifest-capabilities')]).toEqual([200, 'read'])
  expect(body).toEqual({
    flags: [
      { key: 'A', type: 'string', defaultValue: '', description: 'What A is for' },
      { key: 'B', type: 'boolean', defaultValue: false },
      { key: 'C', type: 'integer', defaultValue: 0 },
      { key: 'D', type: 'float', defaultValue: 0 },
      { key: 'E', type: 'object', defaultValue: {} },
      { key: 'F', type: 'string', defaultValue: '' },
      { key: 'G', type: 'boolean', defaultValue: false },
    ],
  })
  expect(text).not.toMatch(/canary|4711|0\.25|2027/)
  expect((await manifest(tenant.token, pathOf(tenant.at))).text).toBe(text)
  expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
})

test('an error has the form that the command line reads', async () => {
  const tenant = await newOwner(testEnv)
  const { orgSlug, projectSlug, stageSlug } = tenant.at
  await testEnv.client.must('projectCreate', { orgSlug, projectSlug, stages: [{ stageSlug }] }, tenant)
  const { token } = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug })
  for (const [given, below, status] of [
    ['x', '', 401],
    [tenant.token, '', 400],
    [token, '/projects/shop/stages/dev', 403],
  ] as const) {
    const { body, ...answer } = await manifest(given, below)
    expect([answer.status, body]).toEqual([status, { error: { status, message: expect.stringMatching(/\S/) } }])
  }
  expect((await manifest(token)).body).toEqual({ flags: [] })
})

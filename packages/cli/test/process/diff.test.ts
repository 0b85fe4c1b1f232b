/** `rollkey diff` as a process. */
import { beforeAll, expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { query } from '../../../server/testkit/store.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)

beforeAll(async () => {
  const common = [secret('SAME', 'canary'), roll('ROLL_SAME', 0.5), secret('TYPED', '1', 'int64')]
  await fill('shop', 'dev', [...common, secret('VALUE', 'canary'), secret('ONLY_DEV', 'x'), roll('ROLL', 0.1, 'on')])
  await fill('shop', 'prod', [...common, secret('VALUE', 'other'), secret('ONLY_PROD', 'x'), roll('ROLL', 0.2, 'off')])
  await fill('blog', 'prod', [...common.slice(0, 2), secret('TYPED', '1')])
  await fill('blog', 'dev', common)
})

async function fill(projectSlug: string, stageSlug: string, entries: object[]): Promise<void> {
  await write(testEnv, tenantAt(cli.tenant, { projectSlug, stageSlug }), entries)
}

test('shows which variables differ and how, but no value', async () => {
  const { status, stdout, stderr } = await cli.run('diff', 'dev', 'prod')
  expect(status).toBe(1)
  expect(stdout).toBe(
    [
      'ONLY_DEV\tonly in dev\t',
      'ONLY_PROD\tonly in prod\t',
      'ROLL\tdifferent\tchance, a',
      'VALUE\tdifferent\tvalue',
      '',
    ].join('\n'),
  )
  expect(stderr).toBe('3 of 7 variables are the same in dev and prod.\n')
  const json = await cli.run('diff', 'dev', 'prod', '--json')
  expect(json).toMatchObject({ status: 1, stderr: '' })
  expect(stdout + json.stdout).not.toMatch(/canary|other/)
})

test('compares stages of other projects', async () => {
  const { status, stdout } = await cli.run('diff', 'blog/dev', 'blog/prod', '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    left: { project: 'blog', stage: 'dev' },
    right: { project: 'blog', stage: 'prod' },
    variables: [
      { name: 'ROLL_SAME', state: 'same' },
      { name: 'SAME', state: 'same' },
      { name: 'TYPED', state: 'different', differs: ['declaredType'] },
    ],
  })
  expect((await cli.run('diff', 'dev', 'blog/dev')).status).toBe(1)
})

test('reports a value that cannot be opened, and compares the others', async () => {
  await fill('damaged', 'dev', [secret('SAME', '1'), secret('DAMAGED', '1')])
  await fill('damaged', 'prod', [secret('SAME', '1'), secret('DAMAGED', '1')])
  // These stages were not read yet, so they are not in memory.
  await query(
    testEnv.app.dataDir,
    "update variables set sealed = (select sealed from variables where name = 'ONLY_DEV') where name = 'DAMAGED'",
  )
  const { status, stdout } = await cli.run('diff', 'damaged/dev', 'damaged/prod')
  expect(status).toBe(1)
  expect(stdout).toBe('DAMAGED\tdifferent\tvalue, cannot be opened in damaged/dev, cannot be opened in damaged/prod\n')
})

test('shows that attributes differ', async () => {
  await fill('described', 'dev', [{ ...secret('A', '1'), exposure: 'plain', description: 'One' }])
  await fill('described', 'prod', [{ ...secret('A', '1'), description: 'Other' }])
  const { status, stdout } = await cli.run('diff', 'described/dev', 'described/prod')
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'A\tdifferent\texposure, description\n' })
})

test('is 0 for the same', async () => {
  expect(await cli.run('diff', 'prod', 'shop/prod')).toMatchObject({ status: 0, stdout: '' })
})

test('is never 1 for an error', async () => {
  expect(await cli.run('diff', 'dev', 'dve')).toMatchObject({ status: 5, stdout: '' })
  expect(await cli.run('diff', 'dev', '/prod')).toMatchObject({ status: 2, stdout: '' })
  expect(await cli.run('diff', 'dev', 'prod', '--org', 'other')).toMatchObject({ status: 3, stdout: '' })
  // An error without a specific status: a malformed slug.
  expect((await cli.run('diff', 'dev', 'a b')).status).toBeGreaterThan(1)
})

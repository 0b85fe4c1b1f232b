/** `rollkey history` and `rollkey audit` as processes: pages, filters, and no value. */
import { beforeAll, expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, useTestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)

beforeAll(async () => {
  for (const round of [1, 2, 3, 4, 5, 6])
    await write(testEnv, cli.tenant, [secret('KEY', `canary-${round}`), roll('FLAG', round / 10)])
})

interface HistoryOutput {
  readonly changes: readonly { readonly revision: number; readonly name: string }[]
}

test('history has whole revisions, the newest first, and shows chances but no value', async () => {
  const { stdout, stderr } = await cli.run('history', '--limit', '3')
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows.map(([revision, , change, name, differs]) => [revision, change, name, differs])).toEqual([
    ['6', 'updated', 'FLAG', 'chance 50% → 60%'],
    ['6', 'updated', 'KEY', 'value'],
    ['5', 'updated', 'FLAG', 'chance 40% → 50%'],
    ['5', 'updated', 'KEY', 'value'],
  ])
  expect(stderr).toContain('There may be older changes')
  const json = await cli.run('history', 'KEY', '--all', '--json')
  const { changes } = JSON.parse(json.stdout) as HistoryOutput
  expect(changes.map(({ revision, name }) => [revision, name])).toEqual([6, 5, 4, 3, 2, 1].map((each) => [each, 'KEY']))
  expect(stdout + json.stdout).not.toContain('canary')
})

test('history says that a revision wrote the same value again', async () => {
  const other = await startTestCli(testEnv)
  for (const round of [1, 2])
    expect((await other.run('set', 'SAME', 'canary-same', '--create')).status, String(round)).toBe(0)
  const { stdout } = await other.run('history', 'SAME')
  expect(stdout.split('\n').map((line) => line.split('\t')[4])).toEqual(['-', '-', undefined])
  expect((await other.terminal(['history', 'SAME'])).screen).toMatch(/updated.*SAME +nothing +you/)
})

test('history says that a service token needs the right to read it', async () => {
  const { token } = await newServiceToken(testEnv, cli.tenant, { readOnly: true })
  const env = { ...cli.env, ROLLKEY_TOKEN: token, ROLLKEY_URL: testEnv.app.url }
  expect(await inProcess(['history'], { cwd: cli.cwd, env })).toMatchObject({
    status: 4,
    stdout: '',
    stderr: expect.stringMatching(/^FORBIDDEN: .*history/),
  })
})

test('audit --json prints an object a line, filtered by who, what and when', async () => {
  const read = async (...args: string[]): Promise<{ seq: number; action: string; names?: string[] }[]> => {
    const { status, stdout, stderr } = await cli.run('audit', '--json', ...args)
    expect(status, stderr).toBe(0)
    expect(stdout).not.toContain('canary')
    return stdout === ''
      ? []
      : stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { seq: number; action: string; names?: string[] })
  }
  const updates = await read('--action', 'variable.update', '--since', '1h', '--by', `user:${cli.tenant.user.userId}`)
  expect(updates).toHaveLength(5)
  expect(updates.every(({ names }) => names?.includes('KEY'))).toBe(true)
  const all = await read('--all')
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => all.length - index))
  // The refusal above may be written in between.
  const [newest, next, ...more] = await read('--limit', '2')
  expect([next?.seq, more]).toEqual([(newest?.seq ?? 0) - 1, []])
  expect(await read('--until', '1h')).toEqual([])
  expect(await read('--project', 'blog')).toEqual([])
})

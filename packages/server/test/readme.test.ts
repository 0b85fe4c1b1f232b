/** The README's first five minutes, run as they stand but for the port and the folder. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newDataDir } from '../testkit/app.ts'
import { TestClient } from '../testkit/client.ts'
import { goodPassword, inLink, Person } from '../testkit/person.ts'
import { runMain, startProcess } from '../testkit/process.ts'
import { onPostgres } from '../testkit/store.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const hasTools = ['curl', 'bash'].every((tool) => spawnSync(tool, ['--version']).status === 0)
const dataDir = newDataDir()

afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

function run(commands: string): string {
  return execFileSync('bash', ['--norc', '-euc', commands], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, ROLLKEY_DATA_DIR: dataDir },
  })
}

/** What the person does in the browser between two blocks. */
async function approve(url: string, page: string): Promise<void> {
  const { stdout } = await runMain({ DATA_DIR: dataDir }, ['reset-link', 'ada@example.com'])
  const { passwordLink } = JSON.parse(stdout) as { passwordLink: string }
  const ada = new Person(url, 'ada@example.com')
  await ada.must('/reset-password', { token: inLink(passwordLink, 'token'), newPassword: goodPassword })
  await ada.signIn()
  const userCode = new URL(page).hash.replace('#user_code=', '')
  await new TestClient(url).must('deviceComplete', { userCode }, { token: await ada.token() })
}

test.skipIf(!hasTools || onPostgres)('a newcomer pastes the blocks of the README, and each works', async () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8')
  const [, pasted = ''] = /readme\.test\.ts[^\n]*-->\n(.*?)\n## /s.exec(text) ?? []
  const blocks = [...pasted.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block as string)
  expect(blocks).toHaveLength(6)
  const server = await startProcess({ DATA_DIR: dataDir })
  const here = blocks.map((block) => block.replaceAll('http://localhost:8787', server.url))
  const before = run([...here.slice(0, 4), 'declare -p LOGIN'].join('\n'))
  const [written, rolled, page = '', login] = before.split('\n')
  expect(JSON.parse(written ?? '')).toMatchObject({ created: ['API_KEY', 'NEW_CHECKOUT'], revision: 1 })
  expect(JSON.parse(rolled ?? '')).toMatchObject({ name: 'NEW_CHECKOUT', value: 'off', decision: 'b' })
  await approve(server.url, page)
  const [functions = ''] = here[0]?.split('\n') ?? []
  const [pulled, ...usage] = run([functions, login, ...here.slice(4)].join('\n')).split('\n')
  expect(JSON.parse(pulled ?? '')).toMatchObject({ variables: { API_KEY: 's3cret', NEW_CHECKOUT: 'off' } })
  expect(JSON.parse(usage.join('\n'))).toMatchObject({ usage: [{ organization: 'demo', evaluations: 2 }] })
  await server.end('SIGTERM')
})

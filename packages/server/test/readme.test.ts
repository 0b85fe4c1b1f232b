/** Runs the README's first five minutes as is, except for the port, the folder, and the login, which a token replaces. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useFolder } from '../testkit/folder.ts'
import { startProcess } from '../testkit/process.ts'
import { onPostgres } from '../testkit/store.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const hasTools = ['curl', 'bash'].every((tool) => spawnSync(tool, ['--version']).status === 0)
const dataDir = useFolder()
/** A folder with the packages of the checkout, so that its rollkey.json is not written there. */
const cwd = useFolder()

function run(commands: string): string {
  return execFileSync('bash', ['--norc', '-euc', commands], {
    cwd,
    encoding: 'utf8',
    env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, HOME: cwd, ROLLKEY_DATA_DIR: dataDir },
  })
}

test.skipIf(!hasTools || onPostgres)('a newcomer pastes the blocks of the README, and each works', async () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8')
  expect(text.split('\n').length).toBeLessThanOrEqual(110)
  const [, pasted = ''] = /readme\.test\.ts[^\n]*-->\n(.*?)\n## /s.exec(text) ?? []
  const blocks = [...pasted.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block as string)
  expect(blocks).toHaveLength(6)
  expect(blocks[0]).toContain('npx rollkey login ')
  const [, setup = ''] = /`(npx @rollkey\/server setup [^`]+)`/.exec(pasted) ?? []
  symlinkSync(path.join(root, 'node_modules'), path.join(cwd, 'node_modules'))
  const server = await startProcess({ DATA_DIR: dataDir })
  const [listed = '', usage = ''] = run(
    [
      `export ROLLKEY_URL=${server.url}`,
      `export ROLLKEY_TOKEN=$(${setup} | node -pe "JSON.parse(fs.readFileSync(0, 'utf8')).accessToken")`,
      ...blocks.map((block) =>
        block.replace(/^npx rollkey login .*$/m, '').replaceAll('http://localhost:8787', server.url),
      ),
      'npx @rollkey/server usage',
    ].join('\n'),
  ).split(/(?<=\n)(?={\n)/)
  expect(listed.replaceAll(/\d{4}-\d\d-\d\dT\S+Z/g, 'TIME').replaceAll(/"requestId":"[^"]+"/g, '\n')).toBe(
    [
      'API_KEY\tsecret\t-\t-\t-\tTIME\t-\t-\n',
      'NEW_CHECKOUT\tA/B roll\tboolean\t0.2\tplain\tTIME\t-\t-\n',
      '{"name":"NEW_CHECKOUT","kind":"ab_roll","value":"false","declaredType":"boolean","decision":"b"}\n',
      's3cret\n',
      'API_KEY=s3cret\nNEW_CHECKOUT=false\n',
      'false\n',
      's3cret\n',
      '{"key":"NEW_CHECKOUT","value":false,"reason":"SPLIT","variant":"b","metadata":{"kind":"ab_roll","declaredType":"boolean"}}\n',
    ].join(''),
  )
  // One organization, and no second one beside that of the setup.
  expect(JSON.parse(usage)).toMatchObject({ usage: [{ organization: 'acme' }] })
  await server.end('SIGTERM')
})

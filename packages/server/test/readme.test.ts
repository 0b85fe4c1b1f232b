/** Runs the README's first five minutes as is, except for the port and the folder. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useFolder } from '../testkit/folder.ts'
import { startProcess } from '../testkit/process.ts'
import { onPostgres } from '../testkit/store.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const hasTools = ['curl', 'bash'].every((tool) => spawnSync(tool, ['--version']).status === 0)
const dataDir = useFolder()

function run(commands: string): string {
  return execFileSync('bash', ['--norc', '-euc', commands], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, ROLLKEY_DATA_DIR: dataDir },
  })
}

test.skipIf(!hasTools || onPostgres)('a newcomer pastes the blocks of the README, and each works', async () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8')
  const [, pasted = ''] = /readme\.test\.ts[^\n]*-->\n(.*?)\n## /s.exec(text) ?? []
  const blocks = [...pasted.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block as string)
  expect(blocks).toHaveLength(7)
  const [, inline = ''] = /`(npx @rollkey\/server usage)`/.exec(pasted) ?? []
  const server = await startProcess({ DATA_DIR: dataDir })
  const [listed = '', usage = ''] = run(
    [
      `export ROLLKEY_URL=${server.url}`,
      ...[...blocks, inline].map((block) => block.replaceAll('http://localhost:8787', server.url)),
    ].join('\n'),
  ).split(/(?<=\n)(?={\n)/)
  expect(listed.replaceAll(/\d{4}-\d\d-\d\dT\S+Z/g, 'TIME').replaceAll(/"requestId":"[^"]+"/g, '\n')).toBe(
    [
      'API_KEY\tsecret\t-\t-\t-\tTIME\t-\t-\n',
      'NEW_CHECKOUT\tab_roll\t-\t0.2\t-\tTIME\t-\t-\n',
      '{"name":"NEW_CHECKOUT","kind":"ab_roll","value":"off","decision":"b"}\n',
      's3cret\n',
      'API_KEY=s3cret\nNEW_CHECKOUT=off\n',
      'off\n',
      '{"name":"API_KEY","kind":"secret","value":"s3cret",\n}\n',
      's3cret\n',
      'rollkey.mjs: OK\n0.1.0\n',
    ].join(''),
  )
  expect(JSON.parse(usage)).toMatchObject({ usage: [{ organization: 'demo', evaluations: 6 }] })
  await server.end('SIGTERM')
})

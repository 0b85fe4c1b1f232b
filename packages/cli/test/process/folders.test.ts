/** Folders that do not exist or cannot be written. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../../server/testkit/folder.ts'
import { startHostileService } from '../../testkit/hostile-service.ts'
import { inProcess, rollkey } from '../../testkit/run.ts'

test('login fails before it asks for an approval if the login cannot be stored', async () => {
  const service = await startHostileService()
  onTestFinished(() => service.close())
  const cwd = newFolder()
  writeFileSync(path.join(cwd, 'file'), '')
  const folder = path.join(cwd, 'file', 'rollkey')
  const env = { ROLLKEY_URL: service.url, ROLLKEY_CONFIG_DIR: folder, ROLLKEY_KEYCHAIN: 'off' }
  const { status, stderr } = await inProcess(['login', '--no-browser'], { env, cwd })
  expect(status).toBe(2)
  expect(stderr).toContain(`INVALID_SETTING: Logins cannot be stored in ${folder} (ENOTDIR). Make it writable`)
  expect(service.seen).toEqual([])
})

test.each([
  ['login'],
  ['get', 'A'],
  ['config'],
  ['run', '--', 'true'],
  ['completion', 'bash'],
  ['trust-url', '--list'],
])('in a deleted folder, %s %s is one line of error', (...args) => {
  const cwd = newFolder()
  const env = { PATH: process.env['PATH'] ?? '', HOME: newFolder(), ROLLKEY_KEYCHAIN: 'off' }
  const remove = 'rmdir "$PWD"; exec "$0" "$@"'
  const shell = ['-c', remove, process.execPath, rollkey, ...args]
  const { status, stdout, stderr } = spawnSync('sh', shell, { cwd, env, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'NO_CURRENT_FOLDER: The current folder does not exist any more (expected one that exists): change to another folder\n',
  })
})

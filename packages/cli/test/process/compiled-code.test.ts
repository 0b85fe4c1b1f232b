import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { rollkey } from '../../testkit/run.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-compiled-'))
const home = path.join(folder, 'home')
const shared = path.join(folder, 'shared')
for (const each of [home, shared]) mkdirSync(each)
afterAll(() => rmSync(folder, { recursive: true }))

test('keeps compiled code in the home of its user, where no other user can replace it', () => {
  execFileSync(process.execPath, [rollkey, '--version'], { env: { HOME: home, TMPDIR: shared } })
  expect(existsSync(path.join(home, '.cache/rollkey'))).toBe(true)
  expect(existsSync(path.join(shared, 'node-compile-cache'))).toBe(false)
})

test('follows XDG_CACHE_HOME, and ignores a relative one', () => {
  const cache = path.join(folder, 'cache')
  execFileSync(process.execPath, [rollkey, '--version'], { env: { HOME: home, XDG_CACHE_HOME: cache } })
  expect(existsSync(path.join(cache, 'rollkey'))).toBe(true)
  execFileSync(process.execPath, [rollkey, '--version'], { env: { HOME: home, XDG_CACHE_HOME: 'near' }, cwd: folder })
  expect(existsSync(path.join(folder, 'near'))).toBe(false)
})

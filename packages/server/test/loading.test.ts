/** Tests which libraries a process loads, because loading determines its start time. */
import { expect, test } from 'vitest'
import { runMain } from '../testkit/process.ts'

const tellLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const load = (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context))
  registerHooks({ load })
`)}`

test('a command does not load the libraries for people, other databases, key services and backups', async () => {
  const { code, stderr } = await runMain({}, ['--help'], { nodeArgs: ['--import', tellLoaded] })
  expect(code).toBe(0)
  const loaded = [...new Set([...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name))]
  expect(loaded).toContain('zod')
  const late =
    /^(better-auth|@better-auth\/.*|kysely|pg|openid-client|@aws-sdk\/.*|google-auth-library|age-encryption)$/
  expect(loaded.filter((name = '') => late.test(name))).toEqual([])
})

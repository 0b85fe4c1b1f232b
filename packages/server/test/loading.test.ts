/** Tests which libraries a process loads, because loading determines its start time. */
import { expect, test } from 'vitest'
import { temporaryFolder } from '../testkit/folder.ts'
import { runMain, startProcess } from '../testkit/process.ts'

const tellLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const load = (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context))
  registerHooks({ load })
`)}`

/** Returns the packages, and the files of the service, in what a process told. */
function loadedIn(text: string): { packages: string[]; files: string[] } {
  const all = (pattern: RegExp): string[] => [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))]
  return { packages: all(/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/g), files: all(/packages\/server\/src\/(\S+)/g) }
}

test('a command does not load the libraries for people, other databases, key services and backups', async () => {
  const { code, stderr } = await runMain({}, ['--help'], { nodeArgs: ['--import', tellLoaded] })
  expect(code).toBe(0)
  const { packages } = loadedIn(stderr)
  expect(packages).toContain('zod')
  const late =
    /^(better-auth|@better-auth\/.*|kysely|pg|openid-client|@aws-sdk\/.*|google-auth-library|age-encryption)$/
  expect(packages.filter((name) => late.test(name))).toEqual([])
})

test('a plain start loads no libraries and files of what its settings leave out', async () => {
  const settings = { DATA_DIR: temporaryFolder() }
  const server = await startProcess(settings, { nodeArgs: ['--import', tellLoaded] })
  const { packages, files } = loadedIn(server.output())
  expect(packages).toContain('better-auth')
  const late = /^(pg|openid-client|@aws-sdk\/.*|google-auth-library|age-encryption|nodemailer)$/
  expect(packages.filter((name) => late.test(name))).toEqual([])
  // The settings of traces are read, and the log has the trace of a caller.
  expect(files.filter((name) => name.startsWith('tracing/')).toSorted()).toEqual([
    'tracing/settings.ts',
    'tracing/trace-context.ts',
  ])
})

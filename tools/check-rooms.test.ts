import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let root: string

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'rollkey-rooms-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Returns what the check says of a repository with these files. Empty: nothing is wrong. */
function check(files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  const { status, stderr } = spawnSync(process.execPath, ['tools/check-rooms.mjs', root], { encoding: 'utf8' })
  expect(status).toBe(stderr === '' ? 0 : 1)
  return stderr
}

test('files that import downward pass', () => {
  const files = {
    'packages/server/src/base/a.ts': '',
    'packages/server/src/storage/b.ts': "import '../base/a.ts'",
    'packages/cli/src/c.ts': "import { kinds } from '@rollkey/contract/rules'",
    'packages/dashboard/src/features/keys/d.tsx': "import '../../parts/e.tsx'\nimport './f.ts'",
    'packages/dashboard/src/parts/e.tsx': "import '../data/g.ts'",
  }
  expect(check(files)).toBe('')
})

test('a room that imports a room above it fails', () => {
  const files = { 'packages/server/src/base/a.ts': "import '../http/b.ts'" }
  expect(check(files)).toContain('base/a.ts imports ../http/b.ts')
})

test.each([
  ['data/a.ts', '../parts/b.tsx'],
  ['features/keys/a.tsx', '../../app/b.tsx'],
  ['features/keys/a.tsx', '../tokens/b.ts'],
])('the dashboard file %s that imports %s fails', (file, specifier) => {
  const files = { [`packages/dashboard/src/${file}`]: `import '${specifier}'` }
  expect(check(files)).toContain(`${file} imports ${specifier}`)
})

test('a folder that is not a floor of the dashboard fails', () => {
  expect(check({ 'packages/dashboard/src/shared/a.ts': '' })).toContain('shared is not a floor')
})

test('a client that imports the schemas of the contract fails', () => {
  const files = { 'packages/sdk/src/a.ts': "import { endpoints } from '@rollkey/contract'" }
  expect(check(files)).toContain('packages/sdk/src/a.ts imports @rollkey/contract')
})

test.each(["import type { B } from './b.ts'", "const b = await import('./b.ts')", "export * from './b.ts'"])(
  'a cycle by %s fails',
  (line) => {
    const files = {
      'packages/sdk/src/a.ts': line,
      'packages/sdk/src/b.ts': "import { c } from './c.ts'",
      'packages/sdk/src/c.ts': "import { a } from './a.ts'",
      'packages/sdk/src/d.ts': "import { a } from './a.ts'",
    }
    expect(check(files)).toBe(
      'import each other: packages/sdk/src/a.ts, packages/sdk/src/b.ts, packages/sdk/src/c.ts\n',
    )
  },
)

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../packages/server/testkit/folder.ts'

// JavaScript without types, as an old Node runs it too.
const { missingBuild } = (await import(new URL('missing-build.mjs', import.meta.url).href)) as {
  missingBuild: (root: string) => string | undefined
}

test('a checkout without a built web application says what to run', () => {
  const root = temporaryFolder()
  expect(missingBuild(root)).toMatch(/not built.*npm run build/)
  mkdirSync(path.join(root, 'packages/dashboard/dist'), { recursive: true })
  writeFileSync(path.join(root, 'packages/dashboard/dist/index.html'), '')
  expect(missingBuild(root)).toBeUndefined()
})

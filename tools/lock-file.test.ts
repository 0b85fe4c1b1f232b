import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockedPackage {
  resolved?: string
}

test('the lock file names the archive of each package, so npm ci does not ask the registry where it is', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const installed = Object.entries(packages).filter(([folder]) => folder.includes('node_modules/'))
  expect(installed.length).toBeGreaterThan(400)
  expect(installed.filter(([, { resolved }]) => resolved === undefined)).toEqual([])
})

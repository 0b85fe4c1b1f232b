import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

export function newFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'rollkey-test-'))
}

/** Returns a new folder that exists during all tests of the file or the `describe` block. */
export function useFolder(): string {
  const folder = newFolder()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns a new folder that exists until the end of the current test. */
export function temporaryFolder(): string {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { takeLock, type Lock } from '../../src/storage/lock.ts'
import { hold, nextLine } from './processes.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

const lockFile = (): string => path.join(temporaryFolder(), 'lock.db')

async function take(file: string, patienceMs: number): Promise<Lock | undefined> {
  const lock = await takeLock(file, patienceMs)
  if (lock) onTestFinished(() => lock.release())
  return lock
}

describe('the lock of a data directory', () => {
  test('is given to one process only', async () => {
    const file = lockFile()
    expect(await take(file, 0)).toBeDefined()
    expect(await nextLine(hold('lock', file))).toBe('refused')
  })

  test('is free again when the process that held it was killed', async () => {
    const file = lockFile()
    const holder = hold('lock', file)
    expect(await nextLine(holder)).toBe('held')
    expect(await take(file, 0)).toBeUndefined()
    await holder.kill()
    expect(await take(file, 60_000)).toBeDefined()
  })

  test('is waited for while another process is ending', async () => {
    const file = lockFile()
    const holder = hold('lock', file)
    expect(await nextLine(holder)).toBe('held')
    const [lock] = await Promise.all([take(file, 60_000), holder.kill()])
    expect(lock).toBeDefined()
  })

  test('is given to one holder within the process too, until that one releases it', async () => {
    const file = lockFile()
    const lock = await takeLock(file, 0)
    expect(await take(file, 0)).toBeUndefined()
    lock?.release()
    expect(await take(file, 0)).toBeDefined()
  })

  test('is refused after the patience, not before', async () => {
    const file = lockFile()
    await take(file, 0)
    const startedAt = performance.now()
    expect(await take(file, 200)).toBeUndefined()
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(190)
  })
})

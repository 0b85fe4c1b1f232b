/** Password hashing: limited concurrency, in threads that leave the event loop its core, compatible with the library. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { inspect } from 'node:util'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { Hashing, HashingBusy, maxHashes } from '../../src/identity/hashing.ts'
import { HashingFailed, ScryptHasher } from '../../src/identity/password-hasher.ts'
import { startTestApp } from '../../testkit/app.ts'
import { Person } from '../../testkit/person.ts'

describe('the limit', () => {
  test('applies to running hashes, and sixteen times as many may wait', async () => {
    const hashing = new Hashing(2)
    let running = 0
    let max = 0
    const gate = Promise.withResolvers<void>()
    const hash = async (): Promise<void> => {
      max = Math.max(max, ++running)
      await gate.promise
      running--
    }
    const inside = Array.from({ length: 34 }, () => hashing.enter(() => hashing.run(hash)))
    await expect(hashing.enter(() => hashing.run(hash))).rejects.toThrow(HashingBusy)
    gate.resolve()
    await Promise.all(inside)
    expect([max, running]).toEqual([2, 0])
  })

  test('frees the slot of a failed hash', async () => {
    const hashing = new Hashing(1)
    const fails = (): Promise<never> => hashing.enter(() => hashing.run(() => Promise.reject(new Error('no memory'))))
    const outcomes = await Promise.allSettled(Array.from({ length: 17 }, fails))
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    await expect(hashing.enter(() => hashing.run(async () => 'hash'))).resolves.toBe('hash')
  })

  test('leaves a core free by default, also with several processes', () => {
    expect(maxHashes(0, 1)).toBe(Math.max(1, Math.min(4, availableParallelism() - 1)))
    expect(maxHashes(0, 0)).toBe(1)
    expect(maxHashes(0, 1_000)).toBe(1)
    expect(maxHashes(7, 4)).toBe(7)
  })
})

describe('a hash', () => {
  const hasher = new ScryptHasher()
  afterAll(() => hasher.close())

  test('is compatible with the library in both directions', async () => {
    // A password with characters that normalization changes, and an unpaired surrogate.
    const password = 'correct horse Ångström ﬁ 用户 🚀 \ud800'
    const [own, library] = [await hasher.hash(password), await hashPassword(password)]
    expect(own).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
    expect(await verifyPassword({ hash: own, password })).toBe(true)
    expect(await hasher.verify({ hash: library, password })).toBe(true)
    expect(await hasher.verify({ hash: library, password: `${password}x` })).toBe(false)
    expect(await hasher.hash(password)).not.toBe(own)
  })

  test('matches no password if it is damaged', async () => {
    const password = 'correct horse battery'
    const hash = await hasher.hash(password)
    for (const damaged of [`${hash}x`, hash.slice(0, -1), hash.replace(':', '0:')])
      expect(await hasher.verify({ hash: damaged, password })).toBe(false)
    for (const damaged of ['', ':', 'salt', 'salt:', ':key'])
      await expect(hasher.verify({ hash: damaged, password })).rejects.toThrow('invalid password hash')
  })

  test.runIf(process.platform === 'linux')('is computed at a lower priority than everything else', async () => {
    await hasher.hash('correct horse battery')
    const threads = readdirSync('/proc/self/task').map((id) => {
      const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/self/task/${id}/stat`, 'utf8')) ?? []
      // proc_pid_stat(5): the 19th field, counted from 1; the name is the second.
      return { name, nice: Number(rest.split(' ')[16]) }
    })
    const low = threads.filter(({ nice }) => nice === 10)
    expect(low.map(({ name }) => name)).toContain('scrypt')
    expect(low.every(({ name }) => name === 'scrypt')).toBe(true)
  })

  test('fails with its thread, and the next hash starts another thread', async () => {
    const pending = hasher.hash('correct horse battery')
    await Promise.all([expect(pending).rejects.toThrow(HashingFailed), hasher.close()])
    expect(await hasher.hash('correct horse battery')).toContain(':')
  })

  test('does not disclose the password if it fails', async () => {
    const secret = 'a password of mine'
    // One input cannot be sent to the thread, and one cannot be hashed by it.
    for (const wrong of [() => secret, { secret }]) {
      const error: unknown = await hasher.hash(wrong as unknown as string).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(HashingFailed)
      expect(inspect(error)).not.toContain(secret)
    }
    expect(await hasher.hash(secret)).toContain(':')
  })

  test('does not keep the process alive after it is computed', () => {
    const file = new URL('../../src/identity/password-hasher.ts', import.meta.url).href
    const program = `import { ScryptHasher } from '${file}'; console.log(await new ScryptHasher().hash('password'))`
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{32}:[0-9a-f]{128}\n$/)])
  })
})

test('without a thread, a sign-in answers 503, and the log has the reason', async () => {
  const hasher = new ScryptHasher(new URL('./no-such-thread.ts', import.meta.url))
  const app = await startTestApp({}, { passwordHasher: hasher })
  const { status, body } = await new Person(app.url).signIn()
  expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  const lines = app.log.filter((line) => line.includes('password hashing failed')).map((line) => JSON.parse(line))
  expect(lines).toMatchObject([{ level: 'error', reason: expect.stringContaining('MODULE_NOT_FOUND') }])
})

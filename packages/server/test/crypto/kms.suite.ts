/** Tests that every KMS must pass (src/crypto/kms/kms.ts). */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CannotUnwrap, type Kms } from '../../src/crypto/kms/kms.ts'

/** Opens the KMS with one of two master keys. Opening it again uses the same key. */
export type OpenKms = (master: 'one' | 'other') => Promise<Kms>

const context = 'rollkey data key prj_1 00ff'

export function kmsSuite(name: string, open: OpenKms): void {
  describe(`${name}: a wrapped key`, () => {
    test('unwraps to what it was', async () => {
      const kms = await open('one')
      for (const length of [16, 32, 64]) {
        const key = randomBytes(length)
        expect((await kms.unwrap(await kms.wrap(key, context), context)).equals(key)).toBe(true)
      }
    })

    test('unwraps after a restart', async () => {
      const key = randomBytes(32)
      const wrapped = await (await open('one')).wrap(key, context)
      expect((await (await open('one')).unwrap(wrapped, context)).equals(key)).toBe(true)
    })

    test('does not contain the key, and is different each time', async () => {
      const kms = await open('one')
      const key = randomBytes(32)
      const wrapped = [Buffer.from(await kms.wrap(key, context)), Buffer.from(await kms.wrap(key, context))]
      for (const each of wrapped) expect(each.includes(key.subarray(0, 8))).toBe(false)
      expect(wrapped[0]?.equals(wrapped[1] ?? Buffer.alloc(0))).toBe(false)
    })

    test.each(['', 'rollkey data key prj_2 00ff', `${context} `, context.toUpperCase()])(
      'does not unwrap in the context %j',
      async (another) => {
        const kms = await open('one')
        const wrapped = await kms.wrap(randomBytes(32), context)
        await expect(kms.unwrap(wrapped, another)).rejects.toBeInstanceOf(CannotUnwrap)
      },
    )

    test('does not unwrap with another master key', async () => {
      const wrapped = await (await open('one')).wrap(randomBytes(32), context)
      await expect((await open('other')).unwrap(wrapped, context)).rejects.toBeInstanceOf(CannotUnwrap)
    })

    test('does not unwrap if a byte of it is changed', async () => {
      const kms = await open('one')
      const wrapped = await kms.wrap(randomBytes(32), context)
      for (let at = 0; at < wrapped.length; at++) {
        const damaged = Uint8Array.from(wrapped)
        damaged[at] = (wrapped[at] ?? 0) ^ 1
        await expect(kms.unwrap(damaged, context), `byte ${at}`).rejects.toBeInstanceOf(CannotUnwrap)
      }
    })

    test('does not unwrap if it is cut or grown', async () => {
      const kms = await open('one')
      const wrapped = await kms.wrap(randomBytes(32), context)
      for (let length = 0; length < wrapped.length; length++) {
        await expect(kms.unwrap(wrapped.subarray(0, length), context)).rejects.toBeInstanceOf(CannotUnwrap)
      }
      await expect(kms.unwrap(Buffer.concat([wrapped, Buffer.of(0)]), context)).rejects.toBeInstanceOf(CannotUnwrap)
    })
  })

  describe(`${name}: the name`, () => {
    test('stays the same for a master key, and differs between two', async () => {
      expect((await open('one')).name).toBe((await open('one')).name)
      expect((await open('one')).name).not.toBe((await open('other')).name)
    })

    test('is short and printable', async () => {
      expect((await open('one')).name).toMatch(/^[\x21-\x7e]{1,300}$/)
    })
  })
}

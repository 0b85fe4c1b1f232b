import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { pack, unpack } from '../../src/stages/payloads.ts'
import { seeded } from '../../testkit/random.ts'

const hex = (blobs: readonly Uint8Array[]): string[] => blobs.map((blob) => Buffer.from(blob).toString('hex'))

describe('packed payloads', () => {
  test.each([
    ['none', []],
    ['one', [randomBytes(50)]],
    ['two', [randomBytes(50), randomBytes(70)]],
    ['empty ones', [Buffer.alloc(0), randomBytes(1), Buffer.alloc(0)]],
    ['large ones', [randomBytes(65_582), randomBytes(65_582)]],
  ])('unpack to the packed blobs: %s', (_, blobs) => {
    expect(hex(unpack(pack(blobs)))).toEqual(hex(blobs))
  })

  test('unpack as a part of a larger buffer', () => {
    const blobs = [randomBytes(5), randomBytes(6)]
    const packed = pack(blobs)
    const around = Buffer.concat([randomBytes(3), packed, randomBytes(3)])
    expect(hex(unpack(new Uint8Array(around.buffer, around.byteOffset + 3, packed.length)))).toEqual(hex(blobs))
  })

  test('have the length of the blobs plus 4 bytes for each', () => {
    expect(pack([randomBytes(10), randomBytes(20)])).toHaveLength(38)
    expect(pack([Buffer.of(1, 2)]).toString('hex')).toBe('000000020102')
  })
})

describe('damaged payloads', () => {
  const whole = pack([randomBytes(46), randomBytes(47)])

  test('unpack to complete or shorter blobs, wherever they are cut', () => {
    const [first] = unpack(whole)
    for (let length = 0; length < whole.length; length++) {
      const blobs = unpack(whole.subarray(0, length))
      const isWhole = length >= 50
      expect(hex(blobs)[0] === hex([first ?? Buffer.alloc(0)])[0]).toBe(isWhole)
      expect(blobs.reduce((sum, blob) => sum + blob.length, 0)).toBeLessThanOrEqual(length)
    }
  })

  test.each([
    ['nothing', 0],
    ['one too few', 45],
    ['one too many', 47],
    ['more than there is', 1_000],
    ['the most', 0xffffffff],
  ])('unpack with a length of %s', (_, length) => {
    const damaged = Buffer.from(whole)
    damaged.writeUInt32BE(length)
    const blobs = unpack(damaged)
    expect(hex(blobs)).not.toEqual(hex(unpack(whole)))
    expect(hex(blobs)[0]).not.toBe(hex(unpack(whole))[0])
  })

  test('of any bytes unpack without looping, and give only bytes of the input', () => {
    const random = seeded(11)
    for (let round = 0; round < 2_000; round++) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * 60) }, () =>
        random() < 0.7 ? Math.floor(random() * 3) : Math.floor(random() * 256),
      )
      const total = unpack(bytes).reduce((sum, blob) => sum + 4 + blob.length, 0)
      expect(total).toBeLessThanOrEqual(bytes.length)
    }
  })
})

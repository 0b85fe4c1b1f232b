import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CannotOpen, CannotSeal, keyIdOf, Sealer, type DataKey, type SealContext } from '../../src/crypto/seal.ts'

const place: SealContext = { orgId: 'org_1', projectId: 'prj_1', stageId: 'stg_1' }
const headBytes = 2 + 16 + 12
const tagBytes = 16

function newKey(id = randomBytes(16).toString('hex')): DataKey {
  return { id, key: createSecretKey(randomBytes(32)) }
}

const key = newKey()
const sealer = new Sealer(place, [key])
const sealed = (text: string | Buffer): Buffer => sealer.seal('NAME', 'secret', 'value', text)

/** Returns the opened blob, or the class of the error that the sealer throws. */
function outcome(opener: Sealer, blob: Buffer, name = 'NAME', kind = 'secret', role = 'value'): unknown {
  try {
    return opener.open(name, kind, role, blob).toString()
  } catch (error) {
    return (error as Error).constructor
  }
}

function withBytes(blob: Uint8Array, at: number, bytes: Uint8Array): Buffer {
  const changed = Buffer.from(blob)
  changed.set(bytes, at)
  return changed
}

describe('a sealed value', () => {
  test.each([
    ['empty', ''],
    ['one character', 'x'],
    ['64 KiB', 'v'.repeat(65_536)],
    ['unicode', 'Zoë-用户-🚀-e\u0301-\u0000-\ufeff'],
  ])('opens to what it was: %s', (_, text) => {
    expect(outcome(sealer, sealed(text))).toBe(text)
  })

  test('opens to the bytes that it was, whatever they are', () => {
    const bytes = randomBytes(1_000)
    expect(sealer.open('NAME', 'secret', 'value', sealed(bytes)).equals(bytes)).toBe(true)
  })

  test('has the layout that is documented, and nothing of the plaintext', () => {
    const blob = sealed('plaintext')
    expect(blob).toHaveLength(headBytes + 'plaintext'.length + tagBytes)
    expect([...blob.subarray(0, 2)]).toEqual([1, 1])
    expect(blob.toString('hex', 2, 18)).toBe(key.id)
    expect(blob.includes('plain')).toBe(false)
  })

  test('opens as a part of a larger buffer', () => {
    const blob = sealed('text')
    const around = Buffer.concat([randomBytes(7), blob, randomBytes(7)])
    expect(outcome(sealer, Buffer.from(around.buffer, around.byteOffset + 7, blob.length))).toBe('text')
  })

  test('is another one each time, with another nonce', () => {
    const blobs = Array.from({ length: 1_000 }, () => sealed('same'))
    expect(new Set(blobs.map((blob) => blob.toString('hex', 18, headBytes))).size).toBe(1_000)
    expect(new Set(blobs.map((blob) => blob.toString('hex', headBytes))).size).toBe(1_000)
  })
})

describe('the format', () => {
  const known: DataKey = { id: '000102030405060708090a0b0c0d0e0f', key: createSecretKey(Buffer.alloc(32, 7)) }
  const name = 'NAME é🚀'

  test('stays: a blob that was sealed long ago opens', () => {
    const blob =
      '0101000102030405060708090a0b0c0d0e0f4ad68c8b3623d4990aa4b004c2bd541f78030e3aa46dd0eef4d7be8658bd8377749819be1520bd74b9a7dd29'
    expect(outcome(new Sealer(place, [known]), Buffer.from(blob, 'hex'), name)).toBe('Zoë-用户-🚀')
  })

  test('is the documented one: what is written from the documentation alone opens', () => {
    const aad = ['org_1', 'prj_1', 'stg_1', known.id, name, 'secret', 'value'].flatMap((text) => {
      const bytes = Buffer.from(text)
      return [Buffer.of(0, 0, 0, bytes.length), bytes]
    })
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', known.key, nonce).setAAD(Buffer.concat(aad))
    const sealedText = [cipher.update('text'), cipher.final(), cipher.getAuthTag()]
    const blob = Buffer.concat([Buffer.of(1, 1), Buffer.from(known.id, 'hex'), nonce, ...sealedText])
    expect(outcome(new Sealer(place, [known]), blob, name)).toBe('text')
  })
})

describe('a damaged blob', () => {
  test('does not open, whichever bit is flipped', () => {
    const blob = sealed('short')
    const opened: number[] = []
    for (let bit = 0; bit < 8 * blob.length; bit++) {
      const flipped = Buffer.from(blob)
      flipped[bit >> 3] = (blob[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      if (outcome(sealer, flipped) !== CannotOpen) opened.push(bit)
    }
    expect(opened).toEqual([])
  })

  test('does not open, wherever it is cut', () => {
    const blob = sealed('short')
    for (let length = 0; length < blob.length; length++) {
      expect(outcome(sealer, blob.subarray(0, length)), `the first ${length}`).toBe(CannotOpen)
      expect(outcome(sealer, blob.subarray(blob.length - length)), `the last ${length}`).toBe(CannotOpen)
    }
  })

  test('does not open with something after it or within it', () => {
    const blob = sealed('short')
    for (let at = 0; at <= blob.length; at++) {
      const longer = Buffer.concat([blob.subarray(0, at), Buffer.of(0), blob.subarray(at)])
      expect(outcome(sealer, longer), `at ${at}`).toBe(CannotOpen)
    }
  })

  test.each([0, 4, 8, 12, 13, 14, 15])('does not open with a tag of %i bytes', (length) => {
    const blob = sealed('a value that is longer than any tag')
    expect(outcome(sealer, blob.subarray(0, blob.length - tagBytes + length))).toBe(CannotOpen)
  })

  test('does not open when parts of two blobs are put together', () => {
    const [one, two] = [sealed('first'), sealed('other')]
    for (const at of [headBytes, one.length - tagBytes]) {
      expect(outcome(sealer, Buffer.concat([one.subarray(0, at), two.subarray(at)]))).toBe(CannotOpen)
    }
  })

  test.each([
    ['version', 0],
    ['algorithm', 1],
  ])('does not open with another %s', (_, at) => {
    for (const byte of [0, 2, 255])
      expect(outcome(sealer, withBytes(sealed('x'), at, Buffer.of(byte)))).toBe(CannotOpen)
  })

  test('does not say what is in it', () => {
    const open = (): unknown => sealer.open('NAME', 'secret', 'value', withBytes(sealed('canary'), 40, Buffer.of(0, 0)))
    expect(open).toThrow('The blob is damaged or was moved.')
  })
})

describe('a blob with another seal context', () => {
  test.each([
    ['organization', { orgId: 'org_2' }],
    ['project', { projectId: 'prj_2' }],
    ['stage', { stageId: 'stg_2' }],
  ])('does not open: another %s', (_, other) => {
    expect(outcome(new Sealer({ ...place, ...other }, [key]), sealed('text'))).toBe(CannotOpen)
  })

  test('does not open under another name, kind or role', () => {
    const blob = sealed('text')
    expect(outcome(sealer, blob, 'OTHER', 'secret', 'value')).toBe(CannotOpen)
    expect(outcome(sealer, blob, 'name', 'secret', 'value')).toBe(CannotOpen)
    expect(outcome(sealer, blob, 'NAME', 'ab_roll', 'value')).toBe(CannotOpen)
    expect(outcome(sealer, blob, 'NAME', 'secret', 'a')).toBe(CannotOpen)
  })

  test('does not open for the other value of a roll', () => {
    const a = sealer.seal('NAME', 'ab_roll', 'a', 'A')
    expect(outcome(sealer, a, 'NAME', 'ab_roll', 'a')).toBe('A')
    expect(outcome(sealer, a, 'NAME', 'ab_roll', 'b')).toBe(CannotOpen)
  })

  test('does not open where the same letters are divided otherwise', () => {
    const shifted = new Sealer({ orgId: 'org_1p', projectId: 'rj_1', stageId: 'stg_1' }, [key])
    expect(outcome(shifted, sealed('text'))).toBe(CannotOpen)
    const blob = sealer.seal('AB', 'C', '', 'text')
    for (const [name, kind, role] of [
      ['A', 'BC', ''],
      ['ABC', '', ''],
      ['AB', '', 'C'],
      ['', 'AB', 'C'],
    ] as const) {
      expect(outcome(sealer, blob, name, kind, role)).toBe(CannotOpen)
    }
  })
})

describe('the keys', () => {
  test('seal with the last and open with any', () => {
    const [older, newer] = [newKey(), newKey()]
    const both = new Sealer(place, [older, newer])
    const blob = both.seal('NAME', 'secret', 'value', 'text')
    expect(blob.toString('hex', 2, 18)).toBe(newer.id)
    expect(outcome(both, blob)).toBe('text')
    expect(outcome(both, new Sealer(place, [older]).seal('NAME', 'secret', 'value', 'old'))).toBe('old')
    expect(outcome(new Sealer(place, [older]), blob)).toBe(CannotOpen)
  })

  test('may be none: then nothing is opened, and nothing sealed', () => {
    const without = new Sealer(place, [])
    expect(outcome(without, sealed('text'))).toBe(CannotOpen)
    expect(() => without.seal('NAME', 'secret', 'value', 'canary')).toThrow(CannotSeal)
  })

  test('open but do not seal if the last is retired', () => {
    const retired = new Sealer(place, [{ ...key, retired: true }])
    expect([retired.keyId, new Sealer(place, [key]).keyId]).toEqual([undefined, key.id])
    expect(outcome(retired, sealed('text'))).toBe('text')
    expect(() => retired.seal('NAME', 'secret', 'value', 'canary')).toThrow(CannotSeal)
  })

  test('are named by what they have sealed', () => {
    expect(keyIdOf(sealed('text'))).toBe(key.id)
    expect(keyIdOf(Buffer.alloc(0))).toBe('')
  })

  test('are distinguished by more than their id', () => {
    expect(outcome(new Sealer(place, [newKey(key.id)]), sealed('text'))).toBe(CannotOpen)
  })

  test('do not open a blob that names another key, even an existing one', () => {
    const other = newKey()
    const both = new Sealer(place, [other, key])
    expect(outcome(both, withBytes(sealed('text'), 2, Buffer.from(other.id, 'hex')))).toBe(CannotOpen)
  })

  test('are bound by their ids: the same key by another id does not open', () => {
    const alias: DataKey = { id: newKey().id, key: key.key }
    const both = new Sealer(place, [alias, key])
    expect(outcome(both, sealed('text'))).toBe('text')
    expect(outcome(both, withBytes(sealed('text'), 2, Buffer.from(alias.id, 'hex')))).toBe(CannotOpen)
  })
})

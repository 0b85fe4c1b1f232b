/** Damage of every kind to a backup, by accident and by an attacker who has the public half of the backup key. */
import { randomBytes } from 'node:crypto'
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeAll, expect, test } from 'vitest'
import {
  assertSigned,
  BadBackup,
  manifestOf,
  readArchive,
  sign,
  writeArchive,
  type SignedManifest,
} from '../../src/backup/archive.ts'
import { useFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'

const folder = useFolder()
const from = path.join(folder, 'from')
const file = path.join(folder, 'backup.age')
const secret = 'of the installation'
const store = randomBytes(100_000)
const people = Buffer.from('people')
let identity: string
let recipient: string
let signed: SignedManifest
let whole: Buffer

/** Returns an archive in the documented format with any content. */
async function sealed(manifest: unknown, ...files: Buffer[]): Promise<string> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}\n`), ...files])
  const to = path.join(mkdtempSync(path.join(folder, 'made-')), 'backup.age')
  writeFileSync(to, await encrypter.encrypt(gzipSync(plain)))
  return to
}

function read(backup: string, key = identity): Promise<SignedManifest> {
  return readArchive(backup, key, mkdtempSync(path.join(folder, 'read-')))
}

async function expectRefused(backup: Buffer): Promise<void> {
  const damaged = path.join(folder, 'damaged.age')
  writeFileSync(damaged, backup)
  await expect(read(damaged)).rejects.toThrow(BadBackup)
}

beforeAll(async () => {
  mkdirSync(from)
  writeFileSync(path.join(from, 'rollkey.db'), store)
  writeFileSync(path.join(from, 'identity.db'), people)
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  signed = sign(await manifestOf(from, ['rollkey.db', 'identity.db'], 1_000), secret)
  await writeArchive(signed, { folder: from, recipient, to: createWriteStream(file) })
  whole = readFileSync(file)
})

test('an archive returns the files that were written to it', async () => {
  const to = mkdtempSync(path.join(folder, 'read-'))
  expect(await readArchive(file, identity, to)).toEqual(signed)
  expect(readFileSync(path.join(to, 'rollkey.db')).equals(store)).toBe(true)
  expect(readFileSync(path.join(to, 'identity.db')).equals(people)).toBe(true)
  assertSigned(signed, secret)
})

test('a flipped bit, a cut and trailing data are refused anywhere in the file', async () => {
  for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 60)) {
    const flipped = Buffer.from(whole)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    await expectRefused(flipped)
    await expectRefused(whole.subarray(0, at))
  }
  await expectRefused(whole.subarray(0, -1))
  await expectRefused(Buffer.concat([whole, Buffer.of(0)]))
  await expectRefused(Buffer.concat([whole, whole]))
})

test.runIf(isLong)('every flipped bit and every cut of a small archive are refused', async () => {
  const tiny = mkdtempSync(path.join(folder, 'tiny-'))
  writeFileSync(path.join(tiny, 'rollkey.db'), 'a store')
  const manifest = sign(await manifestOf(tiny, ['rollkey.db'], 1_000), secret)
  const made = await sealed(manifest, readFileSync(path.join(tiny, 'rollkey.db')))
  expect(await read(made)).toEqual(manifest)
  const small = readFileSync(made)
  for (let bit = 0; bit < 8 * small.length; bit++) {
    const flipped = Buffer.from(small)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    await expectRefused(flipped)
    if (bit % 8 === 0) await expectRefused(small.subarray(0, bit >> 3))
  }
})

test('a file that cannot be read fails the write, not the process', async () => {
  const nowhere = mkdtempSync(path.join(folder, 'empty-'))
  const to = createWriteStream(path.join(nowhere, 'backup.age'))
  await expect(writeArchive(signed, { folder: nowhere, recipient, to })).rejects.toThrow(/ENOENT/)
})

test('another key does not open it', async () => {
  await expect(read(file, await generateX25519Identity())).rejects.toThrow(/sealed for another backup key/)
})

test('content that does not match the manifest is refused', async () => {
  expect(await read(await sealed(signed, store, people))).toEqual(signed)
  const other = randomBytes(store.length)
  await expect(read(await sealed(signed, other, people))).rejects.toThrow(/does not match the manifest/)
  await expect(read(await sealed(signed, store))).rejects.toThrow(/truncated/)
  await expect(read(await sealed(signed, store, people, people))).rejects.toThrow(/contains more/)
  await expect(read(await sealed(signed, people, store))).rejects.toThrow(BadBackup)
})

test('a manifest without the store, with duplicate or outside files, or in another format is refused', async () => {
  const { manifest, signature } = signed
  const [first, second] = manifest.files
  const outside = { ...first, name: '../../rollkey.db' }
  for (const files of [[second], [second, first], [first, first], [], [outside, second], 'rollkey.db']) {
    await expect(read(await sealed({ manifest: { ...manifest, files }, signature }, store, people))).rejects.toThrow(
      BadBackup,
    )
  }
  for (const wrong of [{ manifest: { ...manifest, format: 2 }, signature }, { manifest }, [], null]) {
    await expect(read(await sealed(wrong, store, people))).rejects.toThrow(BadBackup)
  }
  await expect(read(await sealed('x'.repeat(200_000)))).rejects.toThrow(BadBackup)
})

test('the public half of the backup key is not enough to forge a backup', async () => {
  const forged = sign(await manifestOf(from, ['rollkey.db', 'identity.db'], 2_000), 'guessed')
  const found = await read(await sealed(forged, store, people))
  expect(() => assertSigned(found, secret)).toThrow(/not signed by the installation/)
  const moved = { ...signed, manifest: { ...signed.manifest, createdAtMs: 2_000 } }
  expect(() => assertSigned(moved, secret)).toThrow(/not signed/)
  expect(() => assertSigned({ ...signed, signature: '' }, secret)).toThrow(/not signed/)
})

import { randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  Decrypter,
  Encrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from 'age-encryption'
import { expect, test } from 'vitest'
import { ageKmsOfFile } from '../../src/crypto/kms/age.ts'
import { CannotUnwrap } from '../../src/crypto/kms/kms.ts'
import { kmsSuite } from './kms.suite.ts'
import { useFolder } from '../../testkit/folder.ts'

const folder = useFolder()
const identities = { one: await generateX25519Identity(), other: await generateX25519Identity() }

function fileOf(text: string, mode = 0o600): string {
  const file = path.join(folder, randomBytes(8).toString('hex'))
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

kmsSuite('the age KMS', (master) => ageKmsOfFile(fileOf(`# made by age-keygen\n${identities[master]}\n`)))

test('the name is the public half', async () => {
  expect((await ageKmsOfFile(fileOf(identities.one))).name).toBe(`age:${await identityToRecipient(identities.one)}`)
})

test('a key that was sealed by someone who knows only the public half does not unwrap', async () => {
  const kms = await ageKmsOfFile(fileOf(identities.one))
  const wrapped = await kms.wrap(randomBytes(32), 'context')
  const decrypter = new Decrypter()
  decrypter.addIdentity(identities.one)
  const opened = await decrypter.decrypt(wrapped)
  const sealed = async (text: Uint8Array): Promise<Uint8Array> => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(await identityToRecipient(identities.one))
    return encrypter.encrypt(text)
  }
  await expect(kms.unwrap(await sealed(opened), 'context')).resolves.toHaveLength(32)
  const slippedIn = Buffer.concat([opened.subarray(0, 32), randomBytes(32)])
  for (const text of [slippedIn, randomBytes(64), opened.subarray(0, 31), new Uint8Array()]) {
    await expect(kms.unwrap(await sealed(text), 'context')).rejects.toBeInstanceOf(CannotUnwrap)
  }
})

test.each(['640', '604', '644', '660'])('a file of mode %s is refused', async (mode) => {
  const file = fileOf(identities.one, Number.parseInt(mode, 8))
  await expect(ageKmsOfFile(file)).rejects.toThrow(
    `Others can read the age identity file ${file}: run chmod 600 ${file}.`,
  )
})

test('a missing file is reported in a message for the operator', async () => {
  await expect(ageKmsOfFile(path.join(folder, 'none'))).rejects.toThrow('none is missing: restore it')
})

const hybrid = await generateHybridIdentity()

test.each([
  ['nothing', ''],
  ['comments alone', '# made by age-keygen\n'],
  ['two identities', `${identities.one}\n${identities.other}`],
  ['the public half', await identityToRecipient(identities.one)],
  ['an identity that is cut', identities.one.slice(0, -1)],
  ['an identity of another kind', hybrid],
  ['a master key of the other kind', randomBytes(32).toString('base64')],
])('a file of %s is refused without being quoted', async (_, text) => {
  const message = String(await ageKmsOfFile(fileOf(text)).catch((error: unknown) => error))
  expect(message).toContain('must contain one age identity, AGE-SECRET-KEY-1…')
  const keys = text.split('\n').filter((line) => line.length > 20)
  for (const key of keys) expect(message).not.toContain(key.slice(0, 20))
})

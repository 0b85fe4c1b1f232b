/** Sealing by age (https://age-encryption.org/v1). Its library is loaded where it is used: a server starts without it. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

/** A text that is no key of age: a sentence for the operator, without the text. */
export class BadAgeKey extends Error {}

type WebStream = globalThis.ReadableStream<Uint8Array>

/** Seals for the holder of the key whose public half this is; `where`: what gave it. Throws BadAgeKey. */
export async function sealFor(recipient: string, where: string): Promise<(plain: Readable) => Promise<Readable>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(recipient)
  } catch (error) {
    const sentence = `${where} is no public half of a key of age (age1…): a character is wrong or missing. rollkey-server backup-key prints one.`
    throw new BadAgeKey(sentence, { cause: error })
  }
  return async (plain) =>
    Readable.fromWeb((await encrypter.encrypt(Readable.toWeb(plain) as WebStream)) as ReadableStream)
}

/** What is sealed in the file. Throws BadAgeKey; other errors, also of the stream, are of a file that does not open. */
export async function openSealed(file: string, identity: string): Promise<Readable> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  try {
    decrypter.addIdentity(identity)
  } catch {
    // The library's error quotes the key.
    throw new BadAgeKey('The key file holds no key of age: a character is wrong or missing. Take a copy of it.')
  }
  const opened = await decrypter.decrypt(Readable.toWeb(createReadStream(file)) as WebStream)
  return Readable.fromWeb(opened as ReadableStream)
}

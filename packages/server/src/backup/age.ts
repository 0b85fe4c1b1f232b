/** Encryption with age (https://age-encryption.org/v1). The library is loaded on first use, so that a server starts without it. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { operatorProgram } from '../base/shipped-files.ts'

/** An error about a text that is not an age key. Its message is shown to the operator and does not quote the text. */
export class BadAgeKey extends Error {}

type WebStream = globalThis.ReadableStream<Uint8Array>

/** Returns a function that encrypts for a public key. `where` names the setting or argument of the key. Throws BadAgeKey. */
export async function encryptFor(recipient: string, where: string): Promise<(plain: Readable) => Promise<Readable>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(recipient)
  } catch (error) {
    const message = `${where} is not an age public key (expected age1…): a character is wrong or missing. Copy it again, or create one with ${operatorProgram} backup new-key FILE.`
    throw new BadAgeKey(message, { cause: error })
  }
  return async (plain) =>
    Readable.fromWeb((await encrypter.encrypt(Readable.toWeb(plain) as WebStream)) as ReadableStream)
}

/** Returns the decrypted file, or standard input for `-`. Throws as `decryptStream` does. */
export function decryptFile(file: string, identity: string): Promise<Readable> {
  return decryptStream(file === '-' ? process.stdin : createReadStream(file), identity)
}

/** Returns the decrypted stream. Throws BadAgeKey; any other error, also of the stream, means that it does not open. */
export async function decryptStream(sealed: Readable, identity: string): Promise<Readable> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  try {
    decrypter.addIdentity(identity)
  } catch {
    // The error of the library quotes the key.
    throw new BadAgeKey(
      'The key file has no valid age secret key: a character is wrong or missing. Use another copy of it.',
    )
  }
  const opened = await decrypter.decrypt(Readable.toWeb(sealed) as WebStream)
  return Readable.fromWeb(opened as ReadableStream)
}

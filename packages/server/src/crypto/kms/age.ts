/** A master key that is an age identity (age-encryption.org/v1, X25519), in a file written by age-keygen. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption'
import { CannotUnwrap, type Kms } from './kms.ts'
import { readPrivateFile } from './private-file.ts'

const macBytes = 32

/**
 * `wrapped` = an age file for the identity's own recipient that contains HMAC-SHA-256 32 B | key. The HMAC is keyed with the
 * identity and binds the context. It also proves that this identity wrapped the key: anyone who knows the public half can
 * make an age file, and could read values sealed with a key that they planted.
 */
class AgeKms implements Kms {
  readonly name: string
  readonly #identity: string
  readonly #recipient: string

  constructor(identity: string, recipient: string) {
    this.name = `age:${recipient}`
    this.#identity = identity
    this.#recipient = recipient
  }

  async wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    const encrypter = new Encrypter()
    encrypter.addRecipient(this.#recipient)
    return encrypter.encrypt(Buffer.concat([this.#mac(key, context), key]))
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    const decrypter = new Decrypter()
    decrypter.addIdentity(this.#identity)
    const opened = Buffer.from(await decrypter.decrypt(wrapped).catch(cannotUnwrap))
    const key = opened.subarray(macBytes)
    if (opened.length < macBytes || !timingSafeEqual(opened.subarray(0, macBytes), this.#mac(key, context))) {
      return cannotUnwrap()
    }
    return key
  }

  #mac(key: Uint8Array, context: string): Buffer {
    // The digest of the context has a fixed length, so the boundary between context and key is unambiguous.
    return createHmac('sha256', this.#identity)
      .update(hash('sha256', context, 'buffer'))
      .update(key)
      .digest()
  }
}

function cannotUnwrap(): never {
  throw new CannotUnwrap('The data key was wrapped by another age identity or is damaged.')
}

/** Reads the identity of a file. Throws an error with a message for the operator. */
export async function ageKmsOfFile(file: string): Promise<Kms> {
  const [identity, ...others] = readPrivateFile(file, 'age identity file')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const recipient = await recipientOf(identity)
  if (identity === undefined || recipient === undefined || others.length > 0) {
    throw new Error(
      `${file} must contain one age identity, AGE-SECRET-KEY-1…, and nothing else but comments: create one with age-keygen.`,
    )
  }
  return new AgeKms(identity, recipient)
}

async function recipientOf(identity = ''): Promise<string | undefined> {
  // Identities of other kinds have recipients of several kilobytes, or parts in a device.
  if (!identity.startsWith('AGE-SECRET-KEY-1')) return undefined
  return identityToRecipient(identity).catch(() => undefined)
}

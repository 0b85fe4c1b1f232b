/**
 * Sealing of values: AES-256-GCM (NIST SP 800-38D) with a fresh random nonce.
 *
 *   blob = version 1 B (1) | algorithm 1 B (1: AES-256-GCM) | key id 16 B | nonce 12 B | ciphertext | tag 16 B
 *   AAD  = for each of org id, project id, stage id, key id, name, kind, role: length 4 B big-endian | UTF-8 bytes
 *
 * The AAD binds a blob to its seal context: a row moved to another stage, a payload renamed or swapped between the values
 * of a roll does not open. It has lengths instead of separators, since 'a|b' + 'c' and 'a' + 'b|c' are different contexts.
 */
import { createCipheriv, createDecipheriv, randomFillSync, type KeyObject } from 'node:crypto'

const version = 1
const aes256Gcm = 1
const keyIdBytes = 16
const nonceBytes = 12
const tagBytes = 16
const headBytes = 2 + keyIdBytes + nonceBytes
// Without this length, Node would accept a tag of 4 bytes.
const options = { authTagLength: tagBytes }

/** A data key, unwrapped. */
export interface DataKey {
  /** 32 hex digits. */
  readonly id: string
  readonly key: KeyObject
  /** Set if the key only opens what it has sealed, and seals nothing new. */
  readonly retired?: true
}

/** The part of a blob's seal context that all variables of a stage share. The rest is the name, kind and role. */
export interface SealContext {
  readonly orgId: string
  readonly projectId: string
  readonly stageId: string
}

/** Thrown when there is no key to seal with. */
export class CannotSeal extends Error {}

/** Thrown when a blob is damaged, has another seal context, or was sealed by a missing key. */
export class CannotOpen extends Error {}

/** Returns the id of the key that sealed the blob, as 32 hex digits. The result for a damaged blob is arbitrary. */
export function keyIdOf(blob: Buffer): string {
  return blob.toString('hex', 2, 2 + keyIdBytes)
}

/** Joins `head` and each text with its length, in one allocation, because every evaluation does this. */
function withLengths(head: Buffer, ...texts: string[]): Buffer {
  let length = head.length
  for (const text of texts) length += 4 + Buffer.byteLength(text)
  const all = Buffer.allocUnsafe(length)
  let at = head.copy(all)
  for (const text of texts) {
    const bytes = all.write(text, at + 4)
    all.writeUInt32BE(bytes, at)
    at += 4 + bytes
  }
  return all
}

interface BoundKey {
  readonly idBytes: Buffer
  readonly key: KeyObject
  /** The first part of the AAD, which is the same for the whole stage. */
  readonly aad: Buffer
}

/** Seals and opens values of one stage with the keys of its project. */
export class Sealer {
  readonly #context: SealContext
  readonly #dataKeys: readonly DataKey[]
  readonly #keys: readonly BoundKey[]
  /** Id of the key that seals; undefined if there is none. */
  readonly keyId: string | undefined

  /** Creates a sealer that seals with the last of `keys`, if that is not retired, and opens with any of them. */
  constructor(context: SealContext, keys: readonly DataKey[]) {
    const { orgId, projectId, stageId } = context
    this.#context = context
    this.#dataKeys = keys
    const last = keys.at(-1)
    this.keyId = last?.retired ? undefined : last?.id
    this.#keys = keys.map(({ id, key }) => ({
      idBytes: Buffer.from(id, 'hex'),
      key,
      aad: withLengths(Buffer.alloc(0), orgId, projectId, stageId, id),
    }))
  }

  /** Returns a sealer that opens what it has sealed itself without its key, for the time of one write. */
  remembering(): Sealer {
    return new RememberingSealer(this.#context, this.#dataKeys)
  }

  /** Seals a value. Throws CannotSeal. */
  seal(name: string, kind: string, role: string, plaintext: string | Buffer): Buffer {
    const sealing = this.keyId === undefined ? undefined : this.#keys.at(-1)
    if (!sealing) throw new CannotSeal("The project's current data key cannot be unwrapped.")
    const head = Buffer.allocUnsafe(headBytes)
    head[0] = version
    head[1] = aes256Gcm
    sealing.idBytes.copy(head, 2)
    const nonce = randomFillSync(head, 2 + keyIdBytes).subarray(2 + keyIdBytes)
    const cipher = createCipheriv('aes-256-gcm', sealing.key, nonce, options)
    cipher.setAAD(withLengths(sealing.aad, name, kind, role))
    const sealed = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
    cipher.final()
    return Buffer.concat([head, sealed, cipher.getAuthTag()])
  }

  /** Returns the plaintext bytes, in a separate ArrayBuffer. Throws CannotOpen. */
  open(name: string, kind: string, role: string, bytes: Buffer): Buffer<ArrayBuffer> {
    if (bytes.length < headBytes + tagBytes) throw new CannotOpen('The blob is too short.')
    if (bytes[0] !== version || bytes[1] !== aes256Gcm) throw new CannotOpen('The blob has an unknown format.')
    const sealing = this.#keys.find(({ idBytes }) => idBytes.compare(bytes, 2, 2 + keyIdBytes) === 0)
    if (!sealing) throw new CannotOpen('The blob was sealed by an unknown key.')
    const tagAt = bytes.length - tagBytes
    const decipher = createDecipheriv('aes-256-gcm', sealing.key, bytes.subarray(2 + keyIdBytes, headBytes), options)
    decipher.setAAD(withLengths(sealing.aad, name, kind, role))
    decipher.setAuthTag(bytes.subarray(tagAt))
    const plaintext = decipher.update(bytes.subarray(headBytes, tagAt))
    try {
      decipher.final()
    } catch {
      throw new CannotOpen('The blob is damaged or was moved.')
    }
    return plaintext
  }
}

/** The last blob of each value that a write has sealed, and its plaintext. */
class RememberingSealer extends Sealer {
  readonly #sealed = new Map<string, { readonly blob: Buffer; readonly plaintext: string | Buffer }>()

  override seal(name: string, kind: string, role: string, plaintext: string | Buffer): Buffer {
    const blob = super.seal(name, kind, role, plaintext)
    this.#sealed.set(keyOf(name, kind, role), { blob, plaintext })
    return blob
  }

  override open(name: string, kind: string, role: string, bytes: Buffer): Buffer<ArrayBuffer> {
    const own = this.#sealed.get(keyOf(name, kind, role))
    return own?.blob.equals(bytes) ? Buffer.from(own.plaintext as string) : super.open(name, kind, role, bytes)
  }
}

/** Neither kinds nor roles contain the separator. */
function keyOf(name: string, kind: string, role: string): string {
  return `${kind}/${role}/${name}`
}

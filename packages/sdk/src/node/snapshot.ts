/**
 * The last known good values in an encrypted file:
 *
 *   version 1 B (1) | salt 16 B | nonce 12 B | AES-256-GCM ciphertext | tag 16 B
 *   key = HKDF-SHA-256(secret, salt, 'rollkey snapshot'), AAD = the version byte
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { RollkeyError } from '../errors.ts'
import type { Snapshot } from '../types.ts'
import { writeFileAtomically } from './atomic-file.ts'

const version = Buffer.of(1)
const saltBytes = 16
const nonceBytes = 12
const tagBytes = 16
const headBytes = version.length + saltBytes + nonceBytes
// Without this option, Node would accept a tag of 4 bytes.
const options = { authTagLength: tagBytes }

/** Options of `fileSnapshot`. */
export interface FileSnapshotOptions {
  /** Path of the file. Its folder is created if needed. */
  readonly file: string
  /** Random text from which the encryption key is derived, such as the service token. A password could be guessed. */
  readonly secret: string
}

/**
 * Returns a snapshot in an encrypted file, for the option `snapshot` of a client. Only the owner can read the file (mode
 * 0600). A file that is damaged or encrypted with another secret counts as absent. `save` throws the errors of the file
 * system.
 *
 * @throws {RollkeyError} `INVALID_SETTING` if the secret is empty.
 * @example
 * const token = process.env.ROLLKEY_TOKEN ?? ''
 * const snapshot = fileSnapshot({ file: '/var/cache/shop/rollkey', secret: token })
 * const rollkey = createClient({ ...options, token, snapshot })
 */
export function fileSnapshot({ file, secret }: FileSnapshotOptions): Snapshot {
  if (secret === '')
    throw new RollkeyError(
      'INVALID_SETTING',
      `The secret of the snapshot ${file} is empty. Pass a random text, such as the service token.`,
    )
  return {
    async load() {
      try {
        return open(await readFile(file), secret)
      } catch {
        return undefined
      }
    },
    async save(text) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      await writeFileAtomically(file, seal(text, secret))
    },
  }
}

function keyOf(secret: string, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'rollkey snapshot', 32))
}

function seal(text: string, secret: string): Buffer {
  const salt = randomBytes(saltBytes)
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt), nonce, options).setAAD(version)
  return Buffer.concat([version, salt, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts a snapshot. Throws if that fails. */
function open(sealed: Buffer, secret: string): string {
  const salt = sealed.subarray(version.length, version.length + saltBytes)
  const nonce = sealed.subarray(version.length + saltBytes, headBytes)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, salt), nonce, options)
  decipher.setAAD(sealed.subarray(0, version.length)).setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(headBytes, -tagBytes)), decipher.final()]).toString()
}

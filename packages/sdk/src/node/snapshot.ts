/**
 * The last known good values in a sealed file:
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
// Without it, Node would accept a tag of 4 bytes.
const options = { authTagLength: tagBytes }

export interface FileSnapshotOptions {
  readonly file: string
  /** What the file is sealed with, such as the service token: something random. A password could be guessed. */
  readonly secret: string
}

/**
 * For `snapshot` of a client. The file is its owner's alone (mode 0600); one that is damaged, or sealed with another secret,
 * counts as absent. `save` throws the errors of the file system.
 */
export function fileSnapshot({ file, secret }: FileSnapshotOptions): Snapshot {
  if (secret === '') throw new RollkeyError('INVALID_SETTING', `The secret of the snapshot ${file} is empty.`)
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

/** Throws if it does not open. */
function open(sealed: Buffer, secret: string): string {
  const salt = sealed.subarray(version.length, version.length + saltBytes)
  const nonce = sealed.subarray(version.length + saltBytes, headBytes)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, salt), nonce, options)
  decipher.setAAD(sealed.subarray(0, version.length)).setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(headBytes, -tagBytes)), decipher.final()]).toString()
}

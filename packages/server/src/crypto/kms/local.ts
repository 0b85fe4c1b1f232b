/** The local KMS: a master key of 32 bytes, from a setting or from a file in the data directory. */
import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes, type KeyObject } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { CannotUnwrap, type Kms } from './kms.ts'
import { readPrivateFile } from './private-file.ts'

const masterKeyBytes = 32
const nonceBytes = 12
const options = { authTagLength: 16 }

/** The local KMS. `wrapped` = nonce 12 B | AES-256-GCM ciphertext | tag 16 B, with the context as AAD. */
class LocalKms implements Kms {
  readonly name: string
  readonly #key: KeyObject

  constructor(masterKey: Buffer) {
    // A short name that distinguishes two keys and does not help to find one.
    this.name = `local:${hash('sha256', Buffer.concat([Buffer.from('rollkey master key '), masterKey])).slice(0, 8)}`
    this.#key = createSecretKey(masterKey)
  }

  async wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, options).setAAD(Buffer.from(context))
    return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    const bytes = Buffer.from(wrapped)
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes), options)
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-options.authTagLength))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -options.authTagLength)), decipher.final()])
    } catch {
      throw new CannotUnwrap('The data key was wrapped by another master key or is damaged.')
    }
  }
}

/** Reads the text form of a master key: 32 bytes in base64. Throws an error that never quotes the text. */
function parseMasterKey(text: string, where: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== masterKeyBytes || key.toString('base64') !== text.trim()) {
    throw new Error(
      `${where} is not a master key: it must be ${masterKeyBytes} bytes in base64 (openssl rand -base64 32 creates one).`,
    )
  }
  return key
}

function writeSynced(file: string, text: string): void {
  const descriptor = openSync(file, 'w', 0o600)
  writeSync(descriptor, text)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * Writes a new master key to a file and syncs it. A power cut would otherwise leave a missing or partial key, and every
 * value sealed under it would be lost.
 */
function createKeyFile(keyPath: string): void {
  const unfinished = `${keyPath}.${process.pid}`
  writeSynced(unfinished, `${randomBytes(masterKeyBytes).toString('base64')}\n`)
  try {
    // Unlike a rename, a link never replaces an existing key: if several processes start at once, the first key is kept.
    linkSync(unfinished, keyPath)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  rmSync(unfinished)
  const folder = openSync(path.dirname(keyPath), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Returns the KMS of a setting's value. `setting` is the name that an error message shows. */
export function localKmsOfSetting(masterKey: string, setting = 'ROLLKEY_MASTER_KEY'): Kms {
  return new LocalKms(parseMasterKey(masterKey, setting))
}

/** Returns the KMS of a key file. `create` makes a missing file, only for a store in which nothing was sealed yet. */
export function localKmsOfFile(keyPath: string, create: boolean): Kms {
  const stats = statSync(keyPath, { throwIfNoEntry: false })
  if (!stats && !create) {
    throw new Error(
      `The master key file ${keyPath} is missing, and the database holds values sealed with it: restore the file from your backup, or set ROLLKEY_MASTER_KEY.`,
    )
  }
  if (!stats) createKeyFile(keyPath)
  return new LocalKms(parseMasterKey(readPrivateFile(keyPath, 'master key file'), keyPath))
}

/** Encryption of the fake KMSs: real AES-256-GCM, so that they detect a wrong key, context or byte. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceBytes = 12
const options = { authTagLength: 16 }

/** Returns nonce 12 B | ciphertext | tag 16 B. */
export function seal(key: Buffer, plaintext: Buffer, aad: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, options).setAAD(aad)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Returns the plaintext; undefined if it does not open. */
export function open(key: Buffer, sealed: Buffer, aad: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), options)
    decipher.setAAD(aad).setAuthTag(sealed.subarray(-options.authTagLength))
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -options.authTagLength)), decipher.final()])
  } catch {
    return undefined
  }
}

export function fromBase64(text: unknown): Buffer {
  return Buffer.from(String(text), 'base64')
}

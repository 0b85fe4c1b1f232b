/** What the stand-ins of KMSs do their work with: real AES-256-GCM, so that a wrong key, context or byte is really found. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceBytes = 12
const options = { authTagLength: 16 }

/** nonce 12 B | ciphertext | tag 16 B */
export function seal(key: Buffer, plaintext: Buffer, aad: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, options).setAAD(aad)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Undefined if it does not open. */
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

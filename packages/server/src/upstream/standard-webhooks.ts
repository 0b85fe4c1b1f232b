/** Signatures of Standard Webhooks 1.0 (standardwebhooks.com). */
import { createHmac } from 'node:crypto'

/** Returns the signature of a message. `secret` is whsec_ and the key in base64. */
export function signatureOf(secret: string, message: { id: string; seconds: number; body: string }): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const text = `${message.id}.${message.seconds}.${message.body}`
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

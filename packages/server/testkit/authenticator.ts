import { createHmac } from 'node:crypto'

const stepMs = 30_000
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns the code that an authenticator app shows at a time for an otpauth: address (RFC 6238, with SHA-1 and 6 digits). */
export function totpAt(uri: string, nowMs: number): string {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const bits = secret
    .split('')
    .map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(nowMs / stepMs)))
  const mac = createHmac('sha1', key).update(step).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

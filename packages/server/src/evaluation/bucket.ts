/** The bucket of a seed, with the SHA-256 of Node. */
import { hash } from 'node:crypto'
import { bucketText, unitOfHash } from '@rollkey/contract'

/** Returns 0 <= u < 1, the same for the same name, seed and key everywhere. */
export function unitOf(name: string, seed: string, key: string): number {
  // A text with one character per byte costs less than a Buffer or hex.
  const digest = hash('sha256', bucketText(name, seed, key), 'binary')
  return unitOfHash(uint32At(digest, 0), uint32At(digest, 4))
}

function uint32At(bytes: string, at: number): number {
  let value = 0
  for (let i = at; i < at + 4; i++) value = value * 256 + bytes.charCodeAt(i)
  return value
}

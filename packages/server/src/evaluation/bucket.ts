/** The bucket of a seed, with the SHA-256 of Node. */
import { hash } from 'node:crypto'
import { bucketText, unitOfBinary } from '@rollkey/contract'

/** Returns 0 <= u < 1, the same for the same name, seed and key everywhere. */
export function unitOf(name: string, seed: string, key: string): number {
  return unitOfBinary(hash('sha256', bucketText(name, seed, key), 'binary'))
}

/**
 * A hash chain: each link holds all before it, so that none can be changed, moved, added or taken out unseen (decision 20).
 * Digests are SHA-256 in lower-case hexadecimal.
 */
import { hash } from 'node:crypto'

/** The link after `before`, which is empty for the first. The engines offer it to SQL under the same name. */
export function chainDigest(before: string, digest: string): string {
  return hash('sha256', before + digest)
}

/** Of the values as a JSON array; no two lists have the same text. */
export function digestOf(values: readonly (string | number | null)[]): string {
  // A lone surrogate, which a provider may put into an id, is stored as U+FFFD.
  return hash(
    'sha256',
    JSON.stringify(values.map((value) => (typeof value === 'string' ? value.toWellFormed() : value))),
  )
}

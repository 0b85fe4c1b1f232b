/**
 * A hash chain: each link covers all links before it, so no entry can be changed, moved, added or removed without
 * detection (docs/decisions/0020-audit-chain.md).
 * Digests are SHA-256 in lower-case hexadecimal.
 */
import { hash } from 'node:crypto'

/** Returns the link after `before`, which is empty for the first. SQL has the same function under the name `chain`. */
export function chainDigest(before: string, digest: string): string {
  return hash('sha256', before + digest)
}

/** Returns the digest of the values as a JSON array. No two lists have the same text. */
export function digestOf(values: readonly (string | number | null)[]): string {
  // The database stores a lone surrogate, which a provider may put into an id, as U+FFFD.
  return hash(
    'sha256',
    JSON.stringify(values.map((value) => (typeof value === 'string' ? value.toWellFormed() : value))),
  )
}

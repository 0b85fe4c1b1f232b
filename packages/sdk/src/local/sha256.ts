/** Synchronous SHA-256 of texts: that of Node, Bun and Deno, otherwise one in JavaScript, which takes about six times as long. */
import { sha256 } from './noble.ts'

/** Returns the hash of the UTF-8 of a text, as a text with one character for each byte. */
export type HashText = (text: string) => string

type NodeCrypto = { readonly hash?: (algorithm: 'sha256', text: string, encoding: 'binary') => string } | undefined

const { process: node } = globalThis as {
  process?: { getBuiltinModule?: (name: string) => NodeCrypto }
}
const hashOfNode = node?.getBuiltinModule?.('node:crypto')?.hash
const encoder = new TextEncoder()

/** Hashes without Node. */
export const portableHash: HashText = (text) => String.fromCharCode(...sha256(encoder.encode(text)))

/** Hashes by the fastest way that the runtime has. */
export const hashText: HashText = hashOfNode ? (text) => hashOfNode('sha256', text, 'binary') : portableHash

/** Bytes of the hash of a pinned seed. */
const pinBytes = 16

/** Returns the hash of a pinned seed as a ruleset has it. */
export function hashOfPin(salt: string, seed: string, hash: HashText = hashText): string {
  const digest = hash(salt + seed)
  let hex = ''
  for (let at = 0; at < pinBytes; at++) hex += digest.charCodeAt(at).toString(16).padStart(2, '0')
  return hex
}

/** SHA-256 for runtimes without that of Node. The build bundles the library into this file. */
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'

/** Returns the 32 bytes of SHA-256 (FIPS 180-4). */
export const sha256: (bytes: Uint8Array) => Uint8Array = (bytes) => nobleSha256(bytes)

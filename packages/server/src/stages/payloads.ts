/**
 * Packs the sealed blobs of a variable's roles into one column: for each role, length 4 B big-endian | blob. One key seals all
 * of them; `storage/sealed.ts` finds them by that key.
 */
import { keyIdOf } from '../crypto/seal.ts'

export function pack(blobs: readonly Uint8Array[]): Buffer {
  const parts = blobs.flatMap((blob) => {
    const length = Buffer.allocUnsafe(4)
    length.writeUInt32BE(blob.length)
    return [length, blob]
  })
  return Buffer.concat(parts)
}

/** Returns the blobs as views of `packed`. A damaged length gives fewer or shorter blobs, which then do not open. */
export function unpack(packed: Uint8Array): Buffer[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length)
  const blobs: Buffer[] = []
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at)
    blobs.push(bytes.subarray(at + 4, end))
    at = end
  }
  return blobs
}

/** Returns the id of the key that sealed the blobs. For damaged blobs, the result is arbitrary. */
export function keyIdOfPacked(packed: Uint8Array): string {
  return keyIdOf(unpack(packed)[0] ?? Buffer.alloc(0))
}

/**
 * Packs the sealed blobs of a variable into one column: for each, length 4 B big-endian | blob. First the template, if it is one, then the
 * pins, if there are some, then each value. One key seals all of them; `storage/sealed.ts` finds them by that key.
 */
import { kinds, type Kind } from '@rollkey/contract'
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

/** The sealed blobs of a variable. */
export interface Payloads {
  /** The sealed payload of each value of the kind. */
  readonly payloads: readonly Buffer[]
  /** The sealed pins. A roll has them if it has pins or targeting rules. */
  readonly sealedPins?: Buffer | undefined
  /** The sealed texts of a template. */
  readonly sealedTemplate?: Buffer | undefined
}

const noBlob = Buffer.alloc(0)

/**
 * Packs the blobs of a variable. The pins are first: an earlier version takes them for a value, which then does not open, instead
 * of deciding without pins and rules. A template is before them, and then there is always a blob of pins, which is empty without pins.
 */
export function packVariable({ payloads, sealedPins, sealedTemplate }: Payloads): Buffer {
  if (sealedTemplate) return pack([sealedTemplate, sealedPins ?? noBlob, ...payloads])
  return pack(sealedPins ? [sealedPins, ...payloads] : payloads)
}

/** Returns the blobs of a variable. It is the inverse of `packVariable`. */
export function unpackVariable(kind: Kind, packed: Uint8Array): Payloads {
  const blobs = unpack(packed)
  const extra = blobs.length - kinds[kind].values.length
  if (extra <= 0) return { payloads: blobs }
  if (extra === 1) return { payloads: blobs.slice(1), sealedPins: blobs[0] }
  const [sealedTemplate, sealedPins, ...payloads] = blobs
  return { payloads, sealedTemplate, sealedPins: sealedPins?.length ? sealedPins : undefined }
}

/** Returns the id of the key that sealed the blobs. For damaged blobs, the result is arbitrary. */
export function keyIdOfPacked(packed: Uint8Array): string {
  return keyIdOf(unpack(packed)[0] ?? Buffer.alloc(0))
}

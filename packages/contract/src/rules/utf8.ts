/** The text of a file, or where it is none. */
export type DecodedFile =
  | {
      /** The text, without a byte order mark at its start. */
      readonly text: string
    }
  | {
      /** The first line that is not UTF-8, from 1. */
      readonly invalidLine: number
    }

const lineFeed = 10

/**
 * Decodes a file as UTF-8. Replacing what is not would change values silently. Never throws.
 *
 * @example
 * decodeFile(new Uint8Array([65, 61, 49])) // { text: 'A=1' }
 */
export function decodeFile(bytes: Uint8Array): DecodedFile {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    // No character contains the byte of a line feed, so the lines can be decoded one by one.
    let line = 1
    for (let start = 0; start < bytes.length; line++) {
      const end = bytes.indexOf(lineFeed, start)
      const part = bytes.subarray(start, end < 0 ? bytes.length : end)
      if (!isUtf8(part)) return { invalidLine: line }
      start += part.length + 1
    }
    return { invalidLine: line }
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

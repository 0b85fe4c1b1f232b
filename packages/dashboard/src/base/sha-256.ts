/**
 * SHA-256 (FIPS 180-4), for the bucket of a roll. Browsers have their own for pages in secure contexts alone, and a service
 * in a private network may do without https. Nothing secret depends on it.
 */

const blockBytes = 64
const rounds = 64

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false
  return true
}

/** The first 32 bits of a number's fraction. */
function fractionOf(number: number): number {
  return Math.floor((number % 1) * 2 ** 32)
}

/** The 64th is 311. */
const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter(isPrime)
const constants = primes.map((prime) => fractionOf(Math.cbrt(prime)))
const start = primes.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)))

/** The digest, as 8 numbers of 32 bits. */
export function sha256(message: Uint8Array): readonly number[] {
  const padded = new DataView(new ArrayBuffer(Math.ceil((message.length + 9) / blockBytes) * blockBytes))
  new Uint8Array(padded.buffer).set(message)
  padded.setUint8(message.length, 0x80)
  padded.setBigUint64(padded.byteLength - 8, BigInt(message.length) * 8n)
  let state: readonly number[] = start
  for (let at = 0; at < padded.byteLength; at += blockBytes) {
    state = compressed(state, new DataView(padded.buffer, at, blockBytes))
  }
  return state
}

function compressed(state: readonly number[], block: DataView): number[] {
  const words = schedule(block)
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (const [round, constant] of constants.entries()) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const sumOfE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const sumOfA = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const first = h + sumOfE + choice + constant + words.getUint32(4 * round)
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sumOfA + majority) | 0]
  }
  return [a, b, c, d, e, f, g, h].map((word, at) => (word + (state[at] ?? 0)) >>> 0)
}

/** The words of the block, and those of the other rounds that follow from them. */
function schedule(block: DataView): DataView {
  const words = new DataView(new ArrayBuffer(4 * rounds))
  for (let at = 0; at < rounds; at++) {
    const back = (by: number): number => words.getUint32(4 * (at - by))
    words.setUint32(
      4 * at,
      at < 16 ? block.getUint32(4 * at) : back(16) + small(back(15), 7, 18, 3) + back(7) + small(back(2), 17, 19, 10),
    )
  }
  return words
}

function small(word: number, one: number, other: number, shift: number): number {
  return turned(word, one) ^ turned(word, other) ^ (word >>> shift)
}

/** Rotated to the right. */
function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The A/B choice (docs/api.md). The contract's vectors/ab-roll.json has known answers. */

/** Returns 0 <= u < 1: the top 53 bits of the first 8 bytes of SHA-256, big-endian, divided by 2^53. */
export async function unitOf(name: string, seed: string, key: string): Promise<number> {
  const text = new TextEncoder().encode(`ab_roll:${name}:${seed}:${key}`)
  const digest = new DataView(await crypto.subtle.digest('SHA-256', text))
  return Number(digest.getBigUint64(0) >> 11n) / 2 ** 53
}

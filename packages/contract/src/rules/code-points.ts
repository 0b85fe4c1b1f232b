/**
 * Compares by Unicode code point, the wire order of names. JavaScript compares UTF-16 units, which puts U+E000 to U+FFFF after
 * the surrogates of all code points above them. Never throws.
 *
 * @example
 * ['b', 'A'].toSorted(compareCodePoints) // ['A', 'b']
 */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Ranks surrogates last, because they encode code points from U+10000. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

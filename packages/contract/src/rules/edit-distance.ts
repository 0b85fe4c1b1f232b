/**
 * Counts the edits that turn one text into the other: insert, delete or replace a UTF-16 code unit, or swap two neighbors
 * (optimal string alignment). Never throws.
 *
 * @example
 * editDistance('API_KYE', 'API_KEY') // 1
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = swaps ? at(beforeLast, j - 2) + 1 : Infinity
      row.push(Math.min(replaced, at(last, j) + 1, at(row, j - 1) + 1, swapped))
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}

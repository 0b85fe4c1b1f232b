/** Large lists as JSON, in pieces between which other requests are served. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Items of a piece: some 50 KB of rows with a few fields. */
const itemsPerPiece = 500

/** Returns the items as JSON without the brackets of the list. */
export async function jsonPieces(items: readonly object[]): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (let from = 0; from < items.length; from += itemsPerPiece) {
    const text = JSON.stringify(items.slice(from, from + itemsPerPiece)).slice(1, -1)
    pieces.push(Buffer.from(from === 0 ? text : `,${text}`))
    await nextTurn()
  }
  return pieces
}

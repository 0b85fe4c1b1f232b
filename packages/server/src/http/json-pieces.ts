/** Large lists as JSON, in pieces between which other requests are served. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Items of a piece: some 50 KB of rows with a few fields. */
const itemsPerPiece = 500

/** Returns the items as JSON without the brackets of the list, or as the members that `valueOf` makes of some of them. */
export async function jsonPieces<Item extends object>(
  items: readonly Item[],
  valueOf: (items: readonly Item[]) => object = (page) => page,
): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (let from = 0; from < items.length; from += itemsPerPiece) {
    const text = JSON.stringify(valueOf(items.slice(from, from + itemsPerPiece))).slice(1, -1)
    pieces.push(Buffer.from(from === 0 ? text : `,${text}`))
    await nextTurn()
  }
  return pieces
}

/** The text of statements about many rows that the caller has picked. */
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Value } from './sql.ts'

/** Maximum rows of one statement. It bounds how long the embedded store is busy, and the number of parameters. */
export const maxPicked = 128

/** A statement that can name the picked rows as the table `picked`, and its parameters. */
interface PickedRows {
  readonly text: string
  readonly params: Value[]
}

/**
 * Returns a `with` clause for at most `maxPicked` rows of text and bigint columns. Adds rows of empty texts up to a power of two,
 * because each number of parameters makes a different text, which has to be prepared. Join it as `picked cross join other where …`:
 * SQLite then begins with the picked rows, and otherwise reads the other table from end to end.
 */
export function pickedRows(columns: Columns, rows: readonly (readonly Value[])[]): PickedRows {
  const types = Object.values(columns)
  const filler = types.map((type) => (type === 'text' ? '' : 0))
  const count = 2 ** Math.ceil(Math.log2(Math.max(rows.length, 1)))
  const params = Array.from({ length: count }, (_, index) => rows[index] ?? filler).flat()
  const key = `${Object.entries(columns).join()} ${count}`
  const text = texts.get(key) ?? textOf(columns, count)
  texts.set(key, text)
  return { text, params }
}

type Columns = Readonly<Record<string, 'text' | 'bigint'>>

/** The texts, by columns and number of rows. All columns are in this source, so their number is small. */
const texts = new Map<string, string>()

function textOf(columns: Columns, count: number): string {
  const types = Object.values(columns)
  const tuples = Array.from(
    { length: count },
    (_, row) => `(${types.map((type, column) => `cast($${row * types.length + column + 1} as ${type})`).join(', ')})`,
  )
  return `with picked (${Object.keys(columns).join(', ')}) as (values ${tuples.join(', ')})`
}

/** Reads about many items, up to `size` in a statement, and lets others be served in between. */
export async function readInPages<Item, Row>(
  items: readonly Item[],
  read: (page: readonly Item[]) => Promise<Row[]>,
  size = maxPicked,
): Promise<Row[]> {
  const slices = new TimeSlices()
  const rows: Row[] = []
  for (let at = 0; at < items.length; at += size) {
    if (slices.isOver) await slices.next()
    rows.push(...(await read(items.slice(at, at + size))))
  }
  return rows
}

/** Inserts several rows by one statement. */
import type { Tx, Value } from './sql.ts'

/** Returns a statement for a number of rows, with the guard of its transaction, which is the same text each time. */
type Insert = (rows: number, guard: string | undefined) => string

/** Maximum rows of a statement. With single rows, a large write takes PostgreSQL 1.8 times as long; with more, SQLite looks up parameters. */
const maxRows = 8

/** Returns the statement that inserts rows, each with a value for every column. `then`: what follows the rows, such as `on conflict`. */
export function insertOf(table: string, columns: readonly string[], then = ''): Insert {
  const names = columns.join(', ')
  const textFor = (rows: number, guard: string | undefined): string => {
    const tuples = Array.from({ length: rows }, (_, row) => {
      const values = columns.map((name, column) => {
        const parameter = `$${row * columns.length + column + 1}`
        return guard === undefined ? parameter : `cast(${parameter} as ${typeOf(name)})`
      })
      return `(${values.join(', ')})`
    })
    const values = `values ${tuples.join(', ')}`
    const source = guard === undefined ? values : `select * from (${values}) as given where ${guard}`
    return `insert into ${table} (${names}) ${source} ${then}`
  }
  const [plain, guarded] = [new Map<number, string>(), new Map<number, string>()]
  return (rows, guard) => {
    const texts = guard === undefined ? plain : guarded
    const known = texts.get(rows)
    if (known !== undefined) return known
    const text = textFor(rows, guard)
    texts.set(rows, text)
    return text
  }
}

/** Returns the type of a column, which the values of a query need and those of a plain insert do not. */
function typeOf(column: string): string {
  if (column === 'sealed') return 'bytea'
  return column === 'revision' || column.endsWith('_ms') ? 'bigint' : 'text'
}

/** Inserts rows, as many in a statement as the largest power of two, because each number of rows has to be prepared. */
export function insertRows<Row>(tx: Tx, textFor: Insert, rows: readonly Value[][]): Promise<Row[]>[] {
  const statements: Promise<Row[]>[] = []
  for (let from = 0; from < rows.length;) {
    const count = Math.min(maxRows, 2 ** Math.floor(Math.log2(rows.length - from)))
    statements.push(tx.all<Row>(textFor(count, tx.guard), ...rows.slice(from, from + count).flat()))
    from += count
  }
  return statements
}

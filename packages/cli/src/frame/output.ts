/** The output of a command: data to stdout, everything else to stderr, so that a pipe carries only data. */
import { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { withProgress } from './progress.ts'
import { printable, printableLine } from './printable.ts'

type Style = Parameters<typeof styleText>[0]

const masked = '••••••••'

export interface Streams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** A cell of a table: its text and its style on a terminal. */
export type Cell = string | { readonly text: string; readonly style: Style }

/** How a terminal shows a table of many columns. */
export interface TableForm {
  /** Title of the column whose texts are shortened, so that a row fits on a line. Columns without any text are left out. */
  readonly shortened: string
}

/** A shortened text has at least this many characters. */
const minCharacters = 12

/** Returns what styles a text for a stream, if that shows colors (NO_COLOR, FORCE_COLOR). */
export function stylesFor(
  { isTTY }: NodeJS.WriteStream,
  env: NodeJS.ProcessEnv,
): (style: Style, text: string) => string {
  // FORCE_COLOR decides for a pipe too.
  const hasColors = (isTTY || env['FORCE_COLOR'] !== undefined) && WriteStream.prototype.getColorDepth(env) > 2
  return (style, text) => (hasColors ? styleText(style, text, { validateStream: false }) : text)
}

/** Returns the text of a cell without its style. */
export function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

export class Output {
  readonly #stdout: NodeJS.WriteStream
  readonly #stderr: NodeJS.WriteStream
  readonly #style: (style: Style, text: string) => string
  readonly isJson: boolean

  constructor({ stdout, stderr, env }: Streams & { readonly env: NodeJS.ProcessEnv }, isJson: boolean) {
    this.#stdout = stdout
    this.#stderr = stderr
    this.#style = stylesFor(stdout, env)
    this.isJson = isJson
  }

  /** Whether a person reads stdout. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY
  }

  /** Writes data. In a pipe it is unchanged, on a terminal without characters that the terminal would interpret. */
  write(text: string): void {
    this.#stdout.write(this.isTerminal ? printable(text) : text)
  }

  /** Writes a line of data. */
  line(text: string): void {
    this.write(`${text}\n`)
  }

  /** Writes a line of data that begins with a colored mark. */
  marked({ text: mark, style }: Exclude<Cell, string>, text: string): void {
    this.#stdout.write(`${this.#style(style, mark)} ${printableLine(text)}\n`)
  }

  /** Writes JSON as data. */
  json(value: unknown): void {
    this.line(JSON.stringify(value, null, this.isTerminal ? 2 : 0))
  }

  /** Writes additional information for a person. Does nothing with `--json`. */
  note(text: string): void {
    if (!this.isJson) this.warn(text)
  }

  /** Writes information that must be shown in any case. */
  warn(text: string): void {
    this.#stderr.write(`${printable(text)}\n`)
  }

  /** Runs work that reports how many of `total` pieces are done, and shows it to a person if the work is long. */
  progress<Result>(total: number, work: (report: (done: number) => void) => Promise<Result>): Promise<Result> {
    return withProgress(this.#stderr, total, work)
  }

  /** Returns a secret as is in a pipe or if revealed. Otherwise returns a mask. */
  secret(text: string, isRevealed: boolean): string {
    return this.isTerminal && !isRevealed ? masked : text
  }

  /**
   * Writes a table: aligned under a head on a terminal, or as tab-separated lines without a head in a pipe. A person at the end of the pipe
   * sees the head on stderr.
   */
  table(head: readonly string[], rows: readonly (readonly Cell[])[], form?: TableForm): void {
    if (!this.isTerminal) {
      if (this.#stderr.isTTY && rows.length > 0) this.note(head.join('\t'))
      for (const row of rows) this.line(row.map(textOf).join('\t'))
      return
    }
    const columns = columnsOf(head, rows)
    const kept = form ? fitted(columns, form, this.#stdout.columns) : columns
    const pad = (column: Column, text: string): string =>
      column === kept.at(-1) ? text : text.padEnd(column.width + 2)
    const print = (cells: readonly string[]): void => void this.#stdout.write(`${cells.join('')}\n`)
    print(kept.map((column) => this.#style('bold', pad(column, column.title.toUpperCase()))))
    for (const index of rows.keys()) {
      print(kept.map((column) => this.#styled(column.cells[index] ?? '', pad(column, column.texts[index] ?? ''))))
    }
  }

  #styled(cell: Cell, padded: string): string {
    return typeof cell === 'string' ? padded : this.#style(cell.style, padded)
  }
}

interface Column {
  readonly title: string
  readonly cells: readonly Cell[]
  /** The texts of the cells, without what a terminal would interpret. */
  readonly texts: readonly string[]
  readonly width: number
}

function columnsOf(head: readonly string[], rows: readonly (readonly Cell[])[]): Column[] {
  return head.map((title, index) => {
    const cells = rows.map((row) => row[index] ?? '')
    const texts = cells.map((cell) => printableLine(textOf(cell)))
    return { title, cells, texts, width: Math.max(title.length, ...texts.map(({ length }) => length)) }
  })
}

/** Leaves out columns without any text, and shortens the texts of one column so that a row fits on a line. */
function fitted(columns: readonly Column[], { shortened }: TableForm, lineWidth = Infinity): Column[] {
  const filled = columns.filter(({ texts }) => texts.some((text) => text !== '' && text !== '-'))
  const kept = filled.length > 0 ? filled : columns
  const over = kept.reduce((sum, { width }) => sum + width + 2, -2) - lineWidth
  return kept.map((column) => {
    if (column.title !== shortened || over <= 0) return column
    const width = Math.max(Math.min(column.width, minCharacters), column.width - over)
    const texts = column.texts.map((text) => (text.length > width ? `${text.slice(0, width - 1)}…` : text))
    return { ...column, texts, width }
  })
}

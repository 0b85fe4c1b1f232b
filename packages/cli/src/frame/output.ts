/** Where a command writes: data to stdout, all else to stderr, so that a pipe carries data only. */
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

const masked = '••••••••'

export interface Streams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** A cell of a table: its text, and how it looks on a terminal. */
export type Cell = string | { readonly text: string; readonly style: Style }

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

export class Output {
  readonly #stdout: NodeJS.WriteStream
  readonly #stderr: NodeJS.WriteStream
  readonly isJson: boolean

  constructor({ stdout, stderr }: Streams, isJson: boolean) {
    this.#stdout = stdout
    this.#stderr = stderr
    this.isJson = isJson
  }

  /** Whether a person reads stdout. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY
  }

  /** Data, as it stands. */
  write(text: string): void {
    this.#stdout.write(text)
  }

  /** Data, a line. */
  line(text: string): void {
    this.#stdout.write(`${text}\n`)
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value, null, this.isTerminal ? 2 : 0))
  }

  /** What a person wants to know beside the data; with `--json` nobody reads along. */
  note(text: string): void {
    if (!this.isJson) this.#stderr.write(`${text}\n`)
  }

  /** What must be told in any case. */
  warn(text: string): void {
    this.#stderr.write(`${text}\n`)
  }

  /** A secret: as it is in a pipe or when asked for, else covered. */
  secret(text: string, isRevealed: boolean): string {
    return this.isTerminal && !isRevealed ? masked : text
  }

  /** Colour where there is a terminal that wants it (NO_COLOR, FORCE_COLOR). */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#stdout })
  }

  /** Aligned under a head on a terminal; in a pipe, lines of cells between tabs and no head. */
  table(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    if (!this.isTerminal) {
      for (const row of rows) this.line(row.map(textOf).join('\t'))
      return
    }
    const widths = head.map((title, column) =>
      Math.max(title.length, ...rows.map((row) => textOf(row[column] ?? '').length)),
    )
    const pad = (text: string, column: number): string =>
      column === head.length - 1 ? text : text.padEnd((widths[column] ?? 0) + 2)
    this.line(head.map((title, column) => this.style('bold', pad(title.toUpperCase(), column))).join(''))
    for (const row of rows) this.line(row.map((cell, column) => this.#styled(cell, pad(textOf(cell), column))).join(''))
  }

  #styled(cell: Cell, padded: string): string {
    return typeof cell === 'string' ? padded : this.style(cell.style, padded)
  }
}

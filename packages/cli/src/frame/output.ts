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

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

export class Output {
  readonly #stdout: NodeJS.WriteStream
  readonly #stderr: NodeJS.WriteStream
  readonly #hasColors: boolean
  readonly isJson: boolean

  constructor({ stdout, stderr, env }: Streams & { readonly env: NodeJS.ProcessEnv }, isJson: boolean) {
    this.#stdout = stdout
    this.#stderr = stderr
    // FORCE_COLOR decides for a pipe too.
    this.#hasColors = (stdout.isTTY || env['FORCE_COLOR'] !== undefined) && WriteStream.prototype.getColorDepth(env) > 2
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

  /** Styles a text if the terminal supports it (NO_COLOR, FORCE_COLOR). */
  #style(style: Style, text: string): string {
    return this.#hasColors ? styleText(style, text, { validateStream: false }) : text
  }

  /** Writes a table: aligned under a head on a terminal, or as tab-separated lines without a head in a pipe. */
  table(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    if (!this.isTerminal) {
      for (const row of rows) this.line(row.map(textOf).join('\t'))
      return
    }
    const shown = rows.map((row) => row.map((cell) => printableLine(textOf(cell))))
    const widths = head.map((title, column) =>
      Math.max(title.length, ...shown.map((texts) => texts[column]?.length ?? 0)),
    )
    const pad = (text: string, column: number): string =>
      column === head.length - 1 ? text : text.padEnd((widths[column] ?? 0) + 2)
    const print = (cells: readonly string[]): void => void this.#stdout.write(`${cells.join('')}\n`)
    print(head.map((title, column) => this.#style('bold', pad(title.toUpperCase(), column))))
    for (const [index, row] of rows.entries()) {
      print(row.map((cell, column) => this.#styled(cell, pad(shown[index]?.[column] ?? '', column))))
    }
  }

  #styled(cell: Cell, padded: string): string {
    return typeof cell === 'string' ? padded : this.#style(cell.style, padded)
  }
}

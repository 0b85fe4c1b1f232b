/** The files of a store that snapshots and segments are applied to. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { archivedFiles } from '../backup/archive.ts'
import type { ContentReceiver, Manifest } from './format.ts'
import { BadReplica } from './target.ts'

type Database = Manifest['databases'][number]
type Journal = Manifest['journals'][number]

/** Writes the whole pages that the bytes begin with, whose numbers begin at `from`. Returns how many. */
function writePages(file: number, pageSize: number, bytes: Buffer, numbers: readonly number[], from: number): number {
  const count = Math.floor(bytes.length / pageSize)
  for (let index = 0; index < count; index++)
    writeSync(file, bytes, index * pageSize, pageSize, ((numbers[from + index] as number) - 1) * pageSize)
  return count
}

export class RestoredFiles implements ContentReceiver {
  readonly #folder: string
  readonly #usage: string

  constructor(folder: string) {
    this.#folder = folder
    this.#usage = path.join(folder, 'usage')
    mkdirSync(this.#usage, { recursive: true, mode: 0o700 })
  }

  async pages(database: Database, numbers: readonly number[], data: AsyncIterable<Buffer>): Promise<void> {
    const file = this.#open(database.name)
    const { pageSize, pageCount } = database
    try {
      let index = 0
      let rest: Buffer = Buffer.alloc(0)
      for await (const chunk of data) {
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        const count = writePages(file, pageSize, bytes, numbers, index)
        index += count
        rest = bytes.subarray(count * pageSize)
      }
      ftruncateSync(file, pageCount * pageSize)
    } finally {
      closeSync(file)
    }
  }

  async journal(part: Journal, data: AsyncIterable<Buffer>): Promise<void> {
    const file = this.#openJournal(part)
    try {
      for await (const chunk of data) writeSync(file, chunk)
    } finally {
      closeSync(file)
    }
  }

  /** Applies a segment that is in memory. Nothing is awaited. */
  apply({ databases, lines }: SegmentContent): void {
    for (const { database, numbers, data } of databases) {
      const file = this.#open(database.name)
      writePages(file, database.pageSize, data, numbers, 0)
      ftruncateSync(file, database.pageCount * database.pageSize)
      closeSync(file)
    }
    for (const { part, data } of lines) {
      const file = this.#openJournal(part)
      writeSync(file, data)
      closeSync(file)
    }
  }

  #open(name: string): number {
    const file = path.join(this.#folder, name)
    return openSync(file, existsSync(file) ? 'r+' : 'wx', 0o600)
  }

  #openJournal({ number, from }: Journal): number {
    const file = openSync(this.#journalOf(number), 'a', 0o600)
    if (fstatSync(file).size === from) return file
    closeSync(file)
    throw new BadReplica(`The usage journal ${number} has a gap in the replica.`)
  }

  /** Deletes files of the journal that were not there any more. */
  keepJournals({ journals }: Pick<Manifest, 'journals'>): void {
    const kept = new Set(journals.map(({ number }) => this.#journalOf(number)))
    for (const name of readdirSync(this.#usage)) {
      const file = path.join(this.#usage, name)
      if (!kept.has(file)) rmSync(file)
    }
  }

  /** Brings everything to the disk. */
  sync(): void {
    const files = [...archivedFiles, ...readdirSync(this.#usage).map((name) => `usage/${name}`), 'usage', '.']
    for (const name of files.filter((each) => existsSync(path.join(this.#folder, each)))) {
      const file = openSync(path.join(this.#folder, name), 'r')
      fsyncSync(file)
      closeSync(file)
    }
  }

  #journalOf(number: number): string {
    return path.join(this.#usage, `${number}.journal`)
  }
}

/** The content of a segment in memory, so that all of it is checked before any of it is applied. */
export class SegmentContent implements ContentReceiver {
  readonly databases: { readonly database: Database; readonly numbers: readonly number[]; readonly data: Buffer }[] = []
  readonly lines: { readonly part: Journal; readonly data: Buffer }[] = []

  async pages(database: Database, numbers: readonly number[], data: AsyncIterable<Buffer>): Promise<void> {
    this.databases.push({ database, numbers, data: await joined(data) })
  }

  async journal(part: Journal, data: AsyncIterable<Buffer>): Promise<void> {
    this.lines.push({ part, data: await joined(data) })
  }

  get bytes(): number {
    return [...this.databases, ...this.lines].reduce((sum, { data }) => sum + data.length, 0)
  }
}

async function joined(data: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of data) chunks.push(chunk)
  return Buffer.concat(chunks)
}

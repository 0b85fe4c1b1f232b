/** What the store has at one moment: pages of its databases, and lines of the usage journal that are not in the tables yet. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { archivedFiles } from '../backup/archive.ts'
import type { EmbeddedSql } from '../storage/sqlite.ts'
import type { Capture } from './format.ts'
import { WalPages, type PageSet } from './wal.ts'

const journalPattern = /^(\d+)\.journal$/
/** Pages that are read at a time. */
const pagesAtOnce = 64

interface JournalPart {
  readonly number: number
  /** Bytes of the file that earlier segments have. */
  readonly from: number
  readonly data: Buffer
}

export class StoreFiles {
  readonly #databases: readonly { readonly name: (typeof archivedFiles)[number]; readonly pages: WalPages }[]
  /** Those whose logs it moves to their files. */
  readonly #moved: readonly WalPages[]
  readonly #usage: string
  /** How many bytes of each file of the journal were captured. */
  #captured = new Map<number, number>()

  /**
   * Opens the files of a data directory. Their connections must do no checkpoints, except those of the store, `rollkey.db`, which lets this
   * look before.
   */
  constructor(dataDir: string, store?: Pick<EmbeddedSql, 'beforeCheckpoint'>) {
    this.#databases = archivedFiles
      .filter((name) => existsSync(path.join(dataDir, name)))
      .map((name) => ({ name, pages: new WalPages(path.join(dataDir, name)) }))
    const stored = this.#databases.find(({ name }) => store && name === 'rollkey.db')?.pages
    store?.beforeCheckpoint(() => stored?.mayRestart())
    this.#moved = this.#databases.flatMap(({ pages }) => (pages === stored ? [] : [pages]))
    this.#usage = path.join(dataDir, 'usage')
  }

  /** Finds what was committed. Returns whether there is something to capture. */
  observe(): boolean {
    for (const { pages } of this.#databases) pages.observe()
    return this.#databases.some(({ pages }) => pages.hasChanged) || this.#hasNewLines()
  }

  /** Moves logs that are long to their database files. */
  checkpoint(minFrames?: number): void {
    for (const pages of this.#moved) pages.checkpoint(minFrames)
  }

  #journalNumbers(): number[] {
    return readdirSync(this.#usage)
      .flatMap((name) => journalPattern.exec(name)?.[1] ?? [])
      .map(Number)
  }

  #hasNewLines(): boolean {
    return this.#journalNumbers().some(
      (number) => statSync(this.#pathOf(number)).size > (this.#captured.get(number) ?? 0),
    )
  }

  #pathOf(number: number): string {
    return path.join(this.#usage, `${number}.journal`)
  }

  /** Bytes of the databases. */
  get bytes(): number {
    return this.#databases.reduce((sum, { pages }) => sum + pages.bytes, 0)
  }

  /** Bytes of what a segment would have, or undefined if only a snapshot has every change. */
  get changedBytes(): number | undefined {
    let sum = 0
    for (const { pages } of this.#databases) {
      if (pages.changedBytes === undefined) return undefined
      sum += pages.changedBytes
    }
    return sum
  }

  /** Captures what changed since the last capture, or everything. All of it is of one moment, because nothing is awaited. */
  capture(which: 'changed' | 'all'): Capture {
    const databases = this.#databases.map(({ name, pages }) => ({ name, set: pages.capture(which) }))
    const journals = this.#captureJournals(which)
    return {
      databases: databases.map(({ name, set: { pageSize, pageCount, pages } }) => ({
        name,
        pageSize,
        pageCount,
        pages: pages.length,
      })),
      journals: journals.map(({ number, from, data }) => ({ number, from, bytes: data.length })),
      data: () =>
        dataOf(
          databases.map(({ set }) => set),
          journals,
        ),
      release() {
        for (const { set } of databases) set.release()
      },
    }
  }

  #captureJournals(which: 'changed' | 'all'): JournalPart[] {
    const parts = this.#journalNumbers()
      .toSorted((a, b) => a - b)
      .map((number): JournalPart => {
        const from = which === 'all' ? 0 : (this.#captured.get(number) ?? 0)
        return { number, from, data: readFrom(this.#pathOf(number), from) }
      })
    this.#captured = new Map(parts.map(({ number, from, data }) => [number, from + data.length]))
    return parts
  }

  /** Closes the connections. */
  close(): void {
    for (const { pages } of this.#databases) pages.close()
  }

  /**
   * Closes the files. Call it when the store is closed: closing a file releases the locks that other connections of this process hold on it
   * (https://sqlite.org/howtocorrupt.html).
   */
  closeFiles(): void {
    for (const { pages } of this.#databases) pages.closeFiles()
  }
}

/** Reads a file from a position to its end. */
function readFrom(file: string, from: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const data = Buffer.alloc(fstatSync(descriptor).size - from)
    readSync(descriptor, data, 0, data.length, from)
    return data
  } finally {
    closeSync(descriptor)
  }
}

async function* dataOf(sets: readonly PageSet[], journals: readonly JournalPart[]): AsyncGenerator<Buffer> {
  const slices = new TimeSlices()
  for (const set of sets) {
    const { pages, pageSize } = set
    const numbers = Buffer.alloc(4 * pages.length)
    for (const [index, page] of pages.entries()) numbers.writeUInt32LE(page, 4 * index)
    yield numbers
    for (let at = 0; at < pages.length; at += pagesAtOnce) {
      const some = pages.slice(at, at + pagesAtOnce)
      const bytes = Buffer.alloc(some.length * pageSize)
      for (const [index, page] of some.entries())
        set.read(page, bytes.subarray(index * pageSize, (index + 1) * pageSize))
      yield bytes
      if (slices.isOver) await slices.next()
    }
  }
  for (const { data } of journals) yield data
}

/**
 * The pages of a SQLite file in WAL mode that this process alone writes, as its transactions leave them. The index of the log (-shm) has
 * the number of the last committed frame and the page of each frame (https://sqlite.org/walformat.html), so finding what changed reads
 * 4 bytes for each frame. Nothing is lost when the log starts again, because it does so only after `mayRestart`, which reads the index.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const indexHeaderBytes = 136
const framesOfFirstBlock = 4062
const framesOfBlock = 4096
const indexBlockBytes = 32_768
const logHeaderBytes = 32
const frameHeaderBytes = 24
/** Frames in the log of the identity store before a checkpoint, as many as in storage/sqlite.ts. */
const checkpointFrames = 8_000

/** Pages of one moment. They can be read until `release`, while others write. */
export interface PageSet {
  readonly pageSize: number
  /** Number of pages of the database. */
  readonly pageCount: number
  /** Numbers of the pages that the set has, in ascending order. */
  readonly pages: readonly number[]
  /** Reads a page into the target. */
  read(page: number, target: Buffer): void
  release(): void
}

interface IndexHeader {
  readonly lastFrame: number
  readonly pageCount: number
  /** Number that grows by one whenever the log starts again. */
  readonly start: number
  /** Number of frames that are in the database file. */
  readonly inFile: number
}

export class WalPages {
  readonly #path: string
  readonly #connection: DatabaseSync
  readonly #file: number
  readonly #log: number
  readonly #index: number
  readonly #pageSize: number
  /** The latest frame of each page in the log. */
  readonly #frames = new Map<number, number>()
  /** Pages that changed since they were last captured. */
  #changed = new Set<number>()
  #lastFrame = 0
  #start: number | undefined
  #mayStartAgain = false
  #hasLostTrack = false
  #isClosed = false

  /** Opens the file, of which a connection is open and does no checkpoints. */
  constructor(file: string) {
    this.#path = file
    this.#connection = new DatabaseSync(file)
    // Opens the log and its index.
    this.#connection.prepare('select count(*) from sqlite_schema').get()
    this.#file = openSync(file, 'r')
    this.#log = openSync(`${file}-wal`, 'r')
    this.#index = openSync(`${file}-shm`, 'r')
    const { page_size: pageSize } = this.#connection.prepare('pragma page_size').get() as { page_size: number }
    this.#pageSize = pageSize
  }

  /** Whether pages changed since they were last captured. */
  get hasChanged(): boolean {
    return this.#changed.size > 0 || this.#hasLostTrack
  }

  /** Bytes of the pages that changed, or undefined if only a capture of all pages has every change. */
  get changedBytes(): number | undefined {
    return this.#hasLostTrack ? undefined : this.#changed.size * this.#pageSize
  }

  get bytes(): number {
    return this.#pageCountOf(this.#header()) * this.#pageSize
  }

  /** Reads from the index which pages were committed since the last call. */
  observe(): void {
    const header = this.#header()
    if (header.start !== this.#start) this.#restart(header.start)
    const blocks = new Map<number, Buffer>()
    for (let frame = this.#lastFrame + 1; frame <= header.lastFrame; frame++) {
      const page = this.#pageOf(frame, blocks)
      this.#frames.set(page, frame)
      this.#changed.add(page)
    }
    this.#lastFrame = Math.max(this.#lastFrame, header.lastFrame)
  }

  /** The log has started again. Unless a checkpoint of this process led to it, another program's did, perhaps with frames that were not seen. */
  #restart(start: number): void {
    const isExpected = this.#start === undefined || (this.#mayStartAgain && start === (this.#start + 1) >>> 0)
    if (!isExpected) this.#hasLostTrack = true
    this.#mayStartAgain = false
    this.#start = start
    this.#lastFrame = 0
    this.#frames.clear()
  }

  #header(): IndexHeader {
    const bytes = Buffer.alloc(indexHeaderBytes)
    readSync(this.#index, bytes, 0, bytes.length, 0)
    return {
      lastFrame: bytes.readUInt32LE(16),
      pageCount: bytes.readUInt32LE(20),
      start: bytes.readUInt32BE(32),
      inFile: bytes.readUInt32LE(96),
    }
  }

  #pageOf(frame: number, blocks: Map<number, Buffer>): number {
    const isFirst = frame <= framesOfFirstBlock
    const block = isFirst ? 0 : 1 + Math.floor((frame - framesOfFirstBlock - 1) / framesOfBlock)
    let bytes = blocks.get(block)
    if (!bytes) {
      bytes = Buffer.alloc(indexBlockBytes)
      readSync(this.#index, bytes, 0, bytes.length, block * indexBlockBytes)
      blocks.set(block, bytes)
    }
    const position = isFirst ? frame - 1 : (frame - framesOfFirstBlock - 1) % framesOfBlock
    return bytes.readUInt32LE((isFirst ? indexHeaderBytes : 0) + 4 * position)
  }

  #pageCountOf({ lastFrame, pageCount }: IndexHeader): number {
    return lastFrame === 0 ? fstatSync(this.#file).size / this.#pageSize : pageCount
  }

  /** Returns the pages that changed since the last capture, or all pages, as they are now. Throws after `close`, also while they are read. */
  capture(which: 'changed' | 'all'): PageSet {
    this.#assertOpen()
    const reader = new DatabaseSync(this.#path, { readOnly: true })
    // From here, no page of this moment is overwritten in the log or in the file until the reader is closed.
    reader.exec('begin; select count(*) from sqlite_schema')
    this.observe()
    const header = this.#header()
    const pageCount = this.#pageCountOf(header)
    const pages =
      which === 'all'
        ? Array.from({ length: pageCount }, (_, index) => index + 1)
        : [...this.#changed].filter((page) => page <= pageCount).toSorted((a, b) => a - b)
    // A log that is in the file may start again, also beside a reader.
    const isInFile = header.inFile >= header.lastFrame
    const frames = new Map(isInFile ? [] : pages.flatMap((page) => frameOf(this.#frames, page)))
    this.#changed = new Set()
    if (which === 'all') this.#hasLostTrack = false
    return {
      pageSize: this.#pageSize,
      pageCount,
      pages,
      read: (page, target) => this.#read(page, frames.get(page), target),
      release() {
        reader.close()
      },
    }
  }

  /** What is read after the store was closed could be what its next start wrote. */
  #assertOpen(): void {
    if (this.#isClosed) throw new Error('the store is closed')
  }

  #read(page: number, frame: number | undefined, target: Buffer): void {
    this.#assertOpen()
    const [descriptor, start] =
      frame === undefined
        ? [this.#file, (page - 1) * this.#pageSize]
        : [this.#log, logHeaderBytes + (frame - 1) * (frameHeaderBytes + this.#pageSize) + frameHeaderBytes]
    if (readSync(descriptor, target, 0, this.#pageSize, start) !== this.#pageSize)
      throw new Error('a page of the database is incomplete')
  }

  /** Looks at the log before it is moved to the database file, from when it may start again. */
  mayRestart(): void {
    this.observe()
    this.#mayStartAgain = true
  }

  /** Moves the log to the database file once it is long. */
  checkpoint(minFrames = checkpointFrames): void {
    this.observe()
    if (this.#lastFrame < minFrames) return
    this.mayRestart()
    this.#connection.exec('pragma wal_checkpoint(passive)')
  }

  close(): void {
    this.#isClosed = true
    this.#connection.close()
  }

  /** Closes the files. The store must be closed (`StoreFiles.closeFiles`). */
  closeFiles(): void {
    for (const descriptor of [this.#file, this.#log, this.#index]) closeSync(descriptor)
  }
}

function frameOf(frames: ReadonlyMap<number, number>, page: number): [number, number][] {
  const frame = frames.get(page)
  return frame === undefined ? [] : [[page, frame]]
}

/**
 * Appends the audit stream to a file that only its owner can read. Several processes may append to the same one. A full file gets the time
 * as a suffix, and only the newest of those are kept: another program is to ship them.
 */
import { constants } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { codeOf, type StreamMessage, type StreamReceiver } from './receiver.ts'

const defaultMaxBytes = 64 * 1_024 * 1_024
/** How many full files are kept. */
const maxFullFiles = 16
const mode = 0o600
const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
const lineFeed = 10

export class FileReceiver implements StreamReceiver {
  readonly #path: string
  readonly #clock: Clock
  readonly #maxBytes: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: { path: string; clock: Clock; maxBytes?: number }) {
    this.#path = parts.path
    this.#clock = parts.clock
    this.#maxBytes = parts.maxBytes ?? defaultMaxBytes
  }

  send(messages: readonly StreamMessage[]): Promise<string | undefined> {
    const appended = this.#last.then(() => this.#append(messages)).catch(codeOf)
    this.#last = appended
    return appended
  }

  async #append(messages: readonly StreamMessage[]): Promise<undefined> {
    const file = await open(this.#path, flags, mode)
    let isFull: boolean
    try {
      // Also for a file that someone else has created.
      await file.chmod(mode)
      const { size } = await file.stat()
      // An append that failed may have left a part of a line.
      const [end] = size === 0 ? [lineFeed] : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer
      const lines = Buffer.from(`${end === lineFeed ? '' : '\n'}${messages.map(({ text }) => `${text}\n`).join('')}`)
      const { bytesWritten } = await file.write(lines)
      if (bytesWritten < lines.length) throw Object.assign(new Error('the file took only a part'), { code: 'ENOSPC' })
      await file.datasync()
      isFull = size + lines.length >= this.#maxBytes
    } finally {
      await file.close()
    }
    // The entries are written: what goes wrong now is tried again after the next ones.
    if (isFull) await this.#rotate().catch(() => undefined)
    return undefined
  }

  /** Gives the file another name, and deletes the oldest full files. Another process may do the same. */
  async #rotate(): Promise<void> {
    const suffix = new Date(this.#clock.now()).toISOString().replaceAll(/[-:]/g, '')
    await rename(this.#path, `${this.#path}.${suffix}.${process.pid}`)
    const { dir, base } = path.parse(this.#path)
    const full = (await readdir(dir)).filter((name) => name.startsWith(`${base}.`) && isFullName(name, base)).toSorted()
    for (const name of full.slice(0, -maxFullFiles)) await rm(path.join(dir, name), { force: true })
  }
}

/** Returns whether a name is that of a full file, so that no other file is ever deleted. */
function isFullName(name: string, base: string): boolean {
  return /^\.\d{8}T\d{6}\.\d{3}Z\.\d+$/.test(name.slice(base.length))
}

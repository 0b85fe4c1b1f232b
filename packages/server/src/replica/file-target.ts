/** A replica in a folder, such as a mounted disk of another machine. */
import { createReadStream, createWriteStream } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadReplica, type Content, type ReplicaTarget } from './target.ts'

const unfinishedPattern = /\.unfinished$/

export class FileTarget implements ReplicaTarget {
  readonly #root: string

  /** The folder must exist: a disk that is not mounted must not be taken for an empty replica. */
  constructor(root: string) {
    this.#root = root
  }

  async list(prefix: string, after = '') {
    await this.#assertFolder()
    const folder = path.join(this.#root, prefix.slice(0, prefix.lastIndexOf('/') + 1))
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(noneIfMissing)
    const names = entries
      .filter((entry) => entry.isFile() && !unfinishedPattern.test(entry.name))
      .map(({ parentPath, name }) => path.relative(this.#root, path.join(parentPath, name)))
      .filter((name) => name.startsWith(prefix) && name > after)
      .toSorted((a, b) => (a < b ? -1 : 1))
    const found = await Promise.all(
      names.map(async (name) => ({ name, bytes: await sizeOf(path.join(this.#root, name)) })),
    )
    return found.flatMap(({ name, bytes }) => (bytes === undefined ? [] : [{ name, bytes }]))
  }

  async get(name: string): Promise<Readable | undefined> {
    const file = path.join(this.#root, name)
    return (await sizeOf(file)) === undefined ? undefined : createReadStream(file)
  }

  async put(name: string, content: Content): Promise<void> {
    await this.#store(name, content, rename)
  }

  async create(name: string, content: Content): Promise<boolean> {
    try {
      // Unlike a rename, a link fails if there is such a file.
      await this.#store(name, content, link)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw error
    }
  }

  async #assertFolder(): Promise<void> {
    try {
      await stat(this.#root)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const message = `The folder ${this.#root} of the replica cannot be used (${code}): mount its disk, or create it.`
      throw new BadReplica(message, { cause: error })
    }
  }

  async #store(name: string, content: Content, finish: (from: string, to: string) => Promise<void>): Promise<void> {
    await this.#assertFolder()
    const file = path.join(this.#root, name)
    const folder = path.dirname(file)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const unfinished = path.join(folder, `${randomUUID()}.unfinished`)
    try {
      await pipeline(content.open(), createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }))
      await finish(unfinished, file)
    } finally {
      await rm(unfinished, { force: true })
    }
    await syncFolder(folder)
  }

  async remove(name: string): Promise<void> {
    await rm(path.join(this.#root, name), { force: true })
  }
}

function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Returns the bytes as content. */
export function contentOf(bytes: Buffer): Content {
  return { bytes: bytes.length, open: () => Readable.from([bytes]) }
}

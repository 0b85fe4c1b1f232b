/** Simulates what a disk holds of a process's files after a power cut, from the writes and syncs that strace recorded. */
import { spawnSync } from 'node:child_process'

export const hasStrace = spawnSync('strace', ['-V']).status === 0

/** Size of what a disk writes whole or not at all. */
const sectorBytes = 512

/** Returns a command prefix for Node that traces it into a file. The process keeps its id. */
export function stracedTo(file: string): string[] {
  const calls = 'pwrite64,write,writev,ftruncate,fsync,fdatasync,unlink'
  return ['strace', '-D', '-f', '-y', '-xx', '-s', '1000000', '--seccomp-bpf', '-e', `trace=${calls}`, '-o', file]
}

type Change = { readonly offset: number; readonly bytes: Buffer } | { readonly length: number }

class SimulatedFile {
  readonly #sectors = new Map<number, Buffer>()
  #length = 0
  /** Size as the process sees it. */
  #size = 0
  #unsynced: Change[] = []

  write(bytes: Buffer, offset = this.#size): void {
    this.#unsynced.push({ offset, bytes })
    this.#size = Math.max(this.#size, offset + bytes.length)
  }

  truncate(length: number): void {
    this.#unsynced.push({ length })
    this.#size = length
  }

  sync(): void {
    for (const change of this.#unsynced) this.#apply(change, () => true)
    this.#unsynced = []
  }

  /** Returns the content after a power cut. Calls `isKept` for each unsynced sector. */
  cut(isKept: () => boolean): Buffer {
    for (const change of this.#unsynced) this.#apply(change, isKept)
    const content = Buffer.alloc(this.#length)
    for (const [index, sector] of this.#sectors) sector.copy(content, index * sectorBytes)
    return content
  }

  #apply(change: Change, isKept: () => boolean): void {
    if ('length' in change) {
      if (isKept()) this.#length = change.length
      for (const index of this.#sectors.keys()) {
        if (index * sectorBytes >= this.#length) this.#sectors.delete(index)
      }
      return
    }
    const { offset, bytes } = change
    for (let at = offset; at < offset + bytes.length;) {
      const index = Math.floor(at / sectorBytes)
      const end = Math.min((index + 1) * sectorBytes, offset + bytes.length)
      if (isKept()) {
        const sector = this.#sectors.get(index) ?? Buffer.alloc(sectorBytes)
        bytes.copy(sector, at - index * sectorBytes, at - offset, end - offset)
        this.#sectors.set(index, sector)
        this.#length = Math.max(this.#length, end)
      }
      at = end
    }
  }
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex')
}

const call = /^(\d+) +(\w+)\(\d+<((?:\\x..)+)>(?:, (.*))?/
const written = /^"((?:\\x..)*)", \d+(?:, (\d+))?/

export class Trace {
  readonly #lines: readonly string[]

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  get length(): number {
    return this.#lines.length
  }

  /** Returns the line at which the answer 200 to a request was sent, or -1. */
  answeredAt(requestId: string): number {
    const [ok, id] = [hexOf('HTTP/1.1 200'), hexOf(`"${requestId}"`)]
    return this.#lines.findIndex((line) => / writev?\(/.test(line) && line.includes(ok) && line.includes(id))
  }

  /** Returns the files of a folder by relative path, as a power cut at a line leaves them. */
  cutAt(line: number, folder: string, isKept: () => boolean): Map<string, Buffer> {
    const files = new Map<string, SimulatedFile>()
    const syncing = new Map<string, SimulatedFile>()
    for (const each of this.#lines.slice(0, line)) {
      const [, resumed = ''] = /^(\d+) +<\.\.\. (?:fsync|fdatasync) resumed>\) += 0/.exec(each) ?? []
      syncing.get(resumed)?.sync()
      const [, unlinked] = /^\d+ +unlink\("([^"]+)"/.exec(each) ?? []
      if (unlinked !== undefined) files.delete(bytesOf(unlinked).toString())
      const [, thread = '', name = '', path = '', rest = ''] = call.exec(each) ?? []
      const file = bytesOf(path).toString()
      if (!file.startsWith(`${folder}/`)) continue
      const isSync = name === 'fsync' || name === 'fdatasync'
      const simulated = files.get(file) ?? new SimulatedFile()
      // Folders are synced too.
      if (!isSync) files.set(file, simulated)
      if (name === 'ftruncate') simulated.truncate(Number.parseInt(rest, 10))
      else if (isSync) {
        if (each.endsWith('<unfinished ...>')) syncing.set(thread, simulated)
        else if (each.endsWith('= 0')) simulated.sync()
      } else {
        const [, hex = '', offset] = written.exec(rest) ?? []
        simulated.write(bytesOf(hex), offset === undefined ? undefined : Number(offset))
      }
    }
    return new Map([...files].map(([file, simulated]) => [file.slice(folder.length + 1), simulated.cut(isKept)]))
  }
}

function hexOf(text: string): string {
  return Buffer.from(text)
    .toString('hex')
    .replaceAll(/../g, (byte) => `\\x${byte}`)
}

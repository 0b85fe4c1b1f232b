/** Writes tar archives (POSIX ustar) whose bytes depend only on their entries. */

export interface Entry {
  /** Path without a leading slash. */
  readonly path: string
  readonly mode: number
  readonly uid?: number
  readonly content?: Buffer
  /** Target of a symbolic link. */
  readonly link?: string
  readonly isFolder?: true
}

const blockBytes = 512
const maxNameBytes = 100
const types = { file: '0', link: '2', folder: '5' } as const

function typeOf({ link, isFolder }: Entry): string {
  if (isFolder) return types.folder
  return link === undefined ? types.file : types.link
}

/** Returns the name and the prefix of a path, which is split if it is too long for the name. */
function splitPath(path: string): [name: string, prefix: string] {
  if (Buffer.byteLength(path) <= maxNameBytes) return [path, '']
  const end = path.indexOf('/', path.length - maxNameBytes - 1)
  if (end < 0) throw new Error(`${path} is too long for a tar archive (expected file names of at most 100 bytes).`)
  return [path.slice(end + 1), path.slice(0, end)]
}

function headerOf(entry: Entry): Buffer {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, offset: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset)
  }
  const [name, prefix] = splitPath(entry.isFolder ? `${entry.path}/` : entry.path)
  header.write(name, 0)
  octal(entry.mode, 100, 8)
  octal(entry.uid ?? 0, 108, 8)
  octal(entry.uid ?? 0, 116, 8)
  octal(entry.content?.length ?? 0, 124, 12)
  octal(0, 136, 12) // time of the change: 1970, in every build
  header.write('        ', 148)
  header.write(typeOf(entry), 156)
  header.write(entry.link ?? '', 157)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function padded(content: Buffer): Buffer[] {
  return [content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]
}

/** Returns the archive of the entries, in their order. */
export function tarOf(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => [headerOf(entry), ...padded(entry.content ?? Buffer.alloc(0))])
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

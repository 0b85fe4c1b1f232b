/**
 * The format of an object with data: one line of JSON, then an age file (https://age-encryption.org/v1) with a gzip stream (RFC 1952) that
 * contains:
 *
 *   manifest, one line of JSON
 *   for each database: the numbers of the pages, 4 bytes each, the lowest byte first | the pages
 *   for each file of the usage journal: its new lines
 *   signature, 32 bytes
 *
 * The first line can be read without a key. It has the SHA-256 of the age file, so that a damaged object is found by anyone, and that of the
 * object before, so that none can be missing. The signature is made with a secret of the installation, as that of a backup.
 */
import { createHash, createHmac, timingSafeEqual, type Hash } from 'node:crypto'
import { PassThrough, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { BadAgeKey, decryptStream } from '../backup/age.ts'
import { archivedFiles, Bytes } from '../backup/archive.ts'
import { nameOf, type ObjectName } from './names.ts'
import { BadReplica } from './target.ts'

const whole = z.number().int().min(0)

const manifestType = z.object({
  format: z.literal(1),
  name: z.string(),
  databases: z.array(
    z.object({ name: z.enum(archivedFiles), pageSize: whole, pageCount: whole, pages: whole }).readonly(),
  ),
  /** The files of the usage journal: all that there are, with the lines that the object has of them. */
  journals: z.array(z.object({ number: whole, from: whole, bytes: whole }).readonly()),
})
const lineType = z.object({ format: z.literal(1), name: z.string(), sha256: z.string(), previous: z.string() })

export type Manifest = z.output<typeof manifestType>
type FirstLine = z.output<typeof lineType>

/** The content of a segment or a snapshot. Its databases can be read until `release`. */
export interface Capture extends Pick<Manifest, 'databases' | 'journals'> {
  /** Yields the bytes, in the order of the manifest. */
  data(): AsyncGenerator<Buffer>
  release(): void
}

/** The name by which `Keyring.secretFor` gives the secret that signs. */
export const replicaPurpose = 'replica'

const signatureBytes = 32
const maxNumbers = 65_536

type Seal = (plain: Readable) => Promise<Readable>

export interface SealParts {
  readonly seal: Seal
  /** Secret of the installation that signs. */
  readonly secret: string
}

/** Yields the plain text of an object. */
async function* plainOf(name: string, capture: Capture, secret: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const { databases, journals } = capture
  const manifest = { format: 1, name, databases: [...databases], journals: [...journals] } satisfies Manifest
  const head = Buffer.from(`${JSON.stringify(manifest)}\n`)
  hash.update(head)
  yield head
  for await (const bytes of capture.data()) {
    hash.update(bytes)
    yield bytes
  }
  yield signatureOf(hash, secret)
}

function signatureOf(hash: Hash, secret: string): Buffer {
  return createHmac('sha256', secret).update('replica ').update(hash.digest()).digest()
}

/** Passes bytes on, and has their SHA-256 and their number at the end. */
class Hashing extends Transform {
  readonly #hash = createHash('sha256')
  bytes = 0

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk)
    this.bytes += chunk.length
    done(null, chunk)
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** Seals a capture into a stream. Returns the SHA-256 of what was written. */
export async function sealInto(
  to: NodeJS.WritableStream,
  name: ObjectName,
  capture: Capture,
  { seal, secret }: SealParts,
): Promise<string> {
  const zipped = new PassThrough()
  const hashing = new Hashing()
  const zipping = pipeline(Readable.from(plainOf(nameOf(name), capture, secret)), createGzip({ level: 1 }), zipped)
  // It may fail before the sealing has begun, when no one awaits it yet.
  zipping.catch(() => {})
  await Promise.all([zipping, pipeline(await seal(zipped), hashing, to)])
  return hashing.digest()
}

/** Returns the first line of an object. */
export function firstLineOf(name: ObjectName, sha256: string, previous: string): Buffer {
  return Buffer.from(`${JSON.stringify({ format: 1, name: nameOf(name), sha256, previous } satisfies FirstLine)}\n`)
}

/** The part of an object that was read, and what is known of it at its end. */
export interface OpenedObject {
  readonly manifest: Manifest
  readonly sha256: string
  readonly previous: string
  /** Throws BadReplica if the object was not signed with this secret of the installation. */
  assertSigned(secret: string): void
}

/** Receives the content of an object. */
export interface ContentReceiver {
  pages(database: Manifest['databases'][number], numbers: readonly number[], data: AsyncIterable<Buffer>): Promise<void>
  journal(file: Manifest['journals'][number], data: AsyncIterable<Buffer>): Promise<void>
}

function damaged(name: string, why: string, cause?: unknown): BadReplica {
  return new BadReplica(`${name} in the replica is damaged (${why}).`, { cause })
}

/** Reads the first line of an object. The rest of the stream follows it. */
async function readFirstLine(name: string, stream: Readable): Promise<{ line: FirstLine; rest: Readable }> {
  const bytes = new Bytes(stream)
  const line = lineType.parse(JSON.parse(await bytes.line()))
  if (line.name !== name) throw damaged(name, 'its first line has the name of another object')
  return { line, rest: Readable.from(bytes.rest()) }
}

async function reading<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadAgeKey) throw new BadReplica(error.message)
    if (error instanceof BadReplica || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
    throw damaged(name, 'it cannot be opened, or is sealed for another backup key', error)
  }
}

/** Opens an object and passes on its content. Throws BadReplica unless all of it is as it was stored. */
export function openObject(
  name: string,
  stream: Readable,
  identity: string,
  receiver: ContentReceiver,
): Promise<OpenedObject> {
  return reading(name, async () => {
    const { line, rest } = await readFirstLine(name, stream)
    const hashing = new Hashing()
    rest.on('error', (error) => hashing.destroy(error)).pipe(hashing)
    const opened = await decryptStream(hashing, identity)
    const gunzip = createGunzip()
    const bytes = new HashedBytes(opened.on('error', (error) => gunzip.destroy(error)).pipe(gunzip))
    const manifest = manifestType.parse(JSON.parse(await bytes.line()))
    if (manifest.name !== name) throw damaged(name, 'its manifest has the name of another object')
    await readContent(manifest, bytes, receiver)
    const hash = bytes.hash.copy()
    const signature = await bytes.buffer(signatureBytes)
    if (!(await bytes.isAtEnd())) throw damaged(name, 'it has more than its manifest lists')
    if (hashing.digest() !== line.sha256) throw damaged(name, 'its checksum differs')
    return {
      manifest,
      sha256: line.sha256,
      previous: line.previous,
      assertSigned(secret) {
        if (!timingSafeEqual(signatureOf(hash.copy(), secret), signature))
          throw new BadReplica(`${name} in the replica is not signed by the installation: it may be forged.`)
      },
    }
  })
}

async function readContent(manifest: Manifest, bytes: HashedBytes, receiver: ContentReceiver): Promise<void> {
  for (const database of manifest.databases) {
    const numbers: number[] = []
    for (let left = database.pages; left > 0; left -= maxNumbers) {
      const some = await bytes.buffer(4 * Math.min(left, maxNumbers))
      for (let at = 0; at < some.length; at += 4) numbers.push(some.readUInt32LE(at))
    }
    await receiver.pages(database, numbers, bytes.take(database.pages * database.pageSize))
  }
  for (const file of manifest.journals) await receiver.journal(file, bytes.take(file.bytes))
}

/** Bytes that are read by lines and by lengths, with the hash of what was read. */
class HashedBytes {
  readonly #bytes: Bytes
  readonly hash = createHash('sha256')

  constructor(stream: AsyncIterable<Buffer>) {
    this.#bytes = new Bytes(stream)
  }

  async line(): Promise<string> {
    const line = await this.#bytes.line()
    this.hash.update(`${line}\n`)
    return line
  }

  async *take(count: number): AsyncGenerator<Buffer> {
    for await (const chunk of this.#bytes.take(count)) {
      this.hash.update(chunk)
      yield chunk
    }
  }

  async buffer(count: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this.take(count)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  isAtEnd(): Promise<boolean> {
    return this.#bytes.isAtEnd()
  }
}

/**
 * The format of a backup: an age file (https://age-encryption.org/v1) with a gzip stream (RFC 1952) that contains:
 *
 *   manifest, one line of JSON | the bytes of each file, in the order of the manifest
 *
 * Only the owner of the backup key can read it. The manifest contains the SHA-256 of each file and is signed with a
 * secret of the installation, so that the public half of the backup key is not enough to forge a backup.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { noProgress } from '../base/progress.ts'
import { BadAgeKey, decryptFile, encryptFor } from './age.ts'

/** Files that a backup may contain. The first one is required. */
export const archivedFiles = ['rollkey.db', 'identity.db'] as const

const manifestType = z.object({
  format: z.literal(1),
  createdAtMs: z.number().int(),
  files: z
    .array(z.object({ name: z.enum(archivedFiles), bytes: z.number().int().min(0), sha256: z.string() }))
    .min(1)
    .refine(
      (files) => files[0]?.name === archivedFiles[0] && new Set(files.map(({ name }) => name)).size === files.length,
    ),
})
const signedType = z.object({ manifest: manifestType, signature: z.string() })

type Manifest = z.output<typeof manifestType>
export type SignedManifest = z.output<typeof signedType>

/** An error about a backup that cannot be used. Its message is shown to the operator. */
export class BadBackup extends Error {}

const maxManifestBytes = 65_536
const lineFeed = 0x0a

async function* bytesOf(
  files: readonly string[],
  head: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  for (const file of files) {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      yield chunk
      onRead(chunk.length)
    }
  }
}

/** Pipes the source through the transform and forwards its errors: an error without a listener would end the process. */
function pipeThrough(source: Readable, transform: Transform): Transform {
  return source.on('error', (error) => transform.destroy(error)).pipe(transform)
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

export async function manifestOf(folder: string, names: Manifest['files'][number]['name'][], nowMs: number) {
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name)
      return { name, bytes: (await stat(file)).size, sha256: await sha256Of(file) }
    }),
  )
  return { format: 1, createdAtMs: nowMs, files } satisfies Manifest
}

function signatureOf(manifest: Manifest, secret: string): string {
  return createHmac('sha256', secret).update(JSON.stringify(manifest)).digest('base64url')
}

export function sign(manifest: Manifest, secret: string): SignedManifest {
  return { manifest, signature: signatureOf(manifest, secret) }
}

/** Throws BadBackup if the signature was not made with this secret of the installation. */
export function assertSigned({ manifest, signature }: SignedManifest, secret: string): void {
  const expected = Buffer.from(signatureOf(manifest, secret))
  const actual = Buffer.from(signature)
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
    throw new BadBackup(
      'The backup is not signed by the installation whose data it contains: it may be forged. Use another backup.',
    )
  }
}

/** Writes the archive of the files in `folder` to the open file. `recipient`: the public half of the backup key. */
export async function writeArchive(
  signed: SignedManifest,
  { folder, recipient, to }: { folder: string; recipient: string; to: NodeJS.WritableStream },
  progress = noProgress,
): Promise<void> {
  const seal = await encryptFor(recipient, 'ROLLKEY_BACKUP_RECIPIENT')
  const files = signed.manifest.files.map(({ name }) => path.join(folder, name))
  const total = signed.manifest.files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  const read = bytesOf(files, `${JSON.stringify(signed)}\n`, (bytes) => progress((done += bytes), total))
  const zipped = pipeThrough(Readable.from(read), createGzip())
  await pipeline(await seal(zipped), to)
}

/** Writes the files of the archive to `folder`. Throws BadBackup, after which the content of the folder is unusable. */
export async function readArchive(file: string, identity: string, folder: string): Promise<SignedManifest> {
  try {
    return await unpackInto(folder, new Bytes(pipeThrough(await decryptFile(file, identity), createGunzip())))
  } catch (error) {
    if (error instanceof BadAgeKey) throw new BadBackup(error.message)
    if (error instanceof BadBackup || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
    throw new BadBackup(
      'The backup cannot be opened: it is damaged, truncated, or sealed for another backup key. Check the file and the key.',
      { cause: error },
    )
  }
}

/** A stream that is read by lines and by lengths. */
export class Bytes {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(lineFeed)
      if (end >= 0) {
        const line = this.#rest.subarray(0, end).toString()
        this.#rest = this.#rest.subarray(end + 1)
        return line
      }
      const { value, done } = await this.#chunks.next()
      if (done === true || this.#rest.length > maxManifestBytes)
        throw new BadBackup('The backup has no manifest: use another backup.')
      this.#rest = Buffer.concat([this.#rest, value])
    }
  }

  async *take(bytes: number): AsyncGenerator<Buffer> {
    let remaining = bytes
    while (remaining > 0) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next()
        if (done === true) throw new BadBackup('The backup is truncated: use another copy of it.')
        this.#rest = value
      }
      const chunk = this.#rest.subarray(0, remaining)
      this.#rest = this.#rest.subarray(chunk.length)
      remaining -= chunk.length
      yield chunk
    }
  }

  /** Yields everything that follows. */
  async *rest(): AsyncGenerator<Buffer> {
    if (this.#rest.length > 0) yield this.#rest
    for (;;) {
      const { value, done } = await this.#chunks.next()
      if (done === true) return
      yield value
    }
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && (await this.#chunks.next()).done === true
  }
}

async function unpackInto(folder: string, bytes: Bytes): Promise<SignedManifest> {
  const signed = signedType.parse(JSON.parse(await bytes.line()))
  for (const { name, bytes: length, sha256 } of signed.manifest.files) {
    const file = path.join(folder, name)
    await pipeline(bytes.take(length), createWriteStream(file, { mode: 0o600, flush: true }))
    if ((await sha256Of(file)) !== sha256)
      throw new BadBackup(`${name} in the backup does not match the manifest: use another copy of the backup.`)
  }
  if (!(await bytes.isAtEnd()))
    throw new BadBackup('The backup contains more than its manifest lists: use another copy of the backup.')
  return signed
}

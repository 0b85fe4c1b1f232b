/**
 * A replica in a bucket of an object storage that speaks S3. Requests are signed with AWS Signature Version 4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html): a client of the vendor would add 2 MB for five requests.
 */
import { createHash, createHmac } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../base/clock.ts'
import type { Content, ReplicaTarget } from './target.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

interface S3Parts {
  /** URL of the object storage, without the bucket. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** What the names of all objects begin with; empty, or without a slash at its end. */
  readonly prefix: string
  /** Returns credentials that are valid now. */
  readonly credentials: () => Promise<S3Credentials>
  readonly clock: Clock
  /** How long a connection may be silent, in milliseconds. */
  readonly idleMs?: number
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  /** Path after the bucket. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly content?: Content
}

const defaultIdleMs = 20_000
/** The rate below which an upload is given up. */
const minBytesPerMs = 32
const maxTextBytes = 8 * 1024 * 1024
const emptyHash = createHash('sha256').digest('hex')

/** An error answer. Its code, such as `403 AccessDenied`, is what the log shows. */
class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(
      `The object storage answered ${status} ${code}: check ROLLKEY_REPLICA_URL, its endpoint, its region and its credentials.`,
    )
    this.status = status
    this.code = `${status} ${code}`.trimEnd()
  }
}

export class S3Target implements ReplicaTarget {
  readonly #parts: S3Parts
  readonly #url: URL
  readonly #agent: http.Agent

  constructor(parts: S3Parts) {
    this.#parts = parts
    this.#url = new URL(parts.endpoint)
    const { Agent } = this.#url.protocol === 'https:' ? https : http
    this.#agent = new Agent({ keepAlive: true })
  }

  async list(prefix: string, after = ''): Promise<{ name: string; bytes: number }[]> {
    const start = this.#keyOf('')
    const found: { name: string; bytes: number }[] = []
    let token: string | undefined
    do {
      const query = {
        'list-type': '2',
        prefix: start + prefix,
        ...(after !== '' && { 'start-after': start + after }),
        ...(token !== undefined && { 'continuation-token': token }),
      }
      const text = await textOf(await this.#ask({ method: 'GET', key: '', query }))
      for (const [, entry = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const name = elementOf(entry, 'Key')?.slice(start.length)
        if (name !== undefined) found.push({ name, bytes: Number(elementOf(entry, 'Size')) })
      }
      token = elementOf(text, 'NextContinuationToken')
    } while (token !== undefined)
    return found
  }

  async get(name: string): Promise<Readable | undefined> {
    try {
      return await this.#ask({ method: 'GET', key: this.#keyOf(name) })
    } catch (error) {
      if (error instanceof S3Error && error.code === '404 NoSuchKey') return undefined
      throw error
    }
  }

  async put(name: string, content: Content): Promise<void> {
    await textOf(await this.#ask({ method: 'PUT', key: this.#keyOf(name), content }))
  }

  async create(name: string, content: Content): Promise<boolean> {
    try {
      const headers = { 'if-none-match': '*' }
      await textOf(await this.#ask({ method: 'PUT', key: this.#keyOf(name), content, headers }))
      return true
    } catch (error) {
      // 409: another creation is under way.
      if (error instanceof S3Error && [409, 412].includes(error.status)) return false
      throw error
    }
  }

  async remove(name: string): Promise<void> {
    await textOf(await this.#ask({ method: 'DELETE', key: this.#keyOf(name) }))
  }

  #keyOf(name: string): string {
    return this.#parts.prefix === '' ? name : `${this.#parts.prefix}/${name}`
  }

  /** Sends a request. Returns the answer, whose body the caller reads. Throws S3Error. */
  async #ask(request: S3Request): Promise<IncomingMessage> {
    const { method, key, query = {}, content } = request
    const { idleMs = defaultIdleMs } = this.#parts
    const path = `${this.#url.pathname.replace(/\/$/, '')}/${this.#parts.bucket}${key === '' ? '' : `/${key}`}`
    const search = new URLSearchParams(Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const hash = content ? await hashOf(content) : emptyHash
    const headers = await this.#signed({ ...request, path: encoded(path), search: encodedQuery(search), hash })
    const { request: send } = this.#url.protocol === 'https:' ? https : http
    const limitMs = idleMs + Math.ceil((content?.bytes ?? 0) / minBytesPerMs)
    const sent = send(new URL(`${encoded(path)}?${encodedQuery(search)}`, this.#url), {
      method,
      agent: this.#agent,
      headers: { ...headers, 'content-length': content?.bytes ?? 0 },
      timeout: idleMs,
      ...(content && { signal: AbortSignal.timeout(limitMs) }),
    })
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
    const [[answer]] = (await Promise.all([
      once(sent, 'response'),
      content ? pipeline(content.open(), sent) : sent.end(),
    ])) as [[IncomingMessage], unknown]
    const { statusCode: status = 0 } = answer
    if (status >= 200 && status < 300) return answer
    throw new S3Error(status, elementOf(await textOf(answer), 'Code') ?? (status === 404 ? 'NoSuchKey' : ''))
  }

  /** Returns the headers of a request, with its signature. */
  async #signed(request: S3Request & { readonly path: string; readonly search: string; readonly hash: string }) {
    const { region, credentials, clock } = this.#parts
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials()
    const time = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
    const headers: Record<string, string> = {
      ...request.headers,
      host: this.#url.host,
      'x-amz-content-sha256': request.hash,
      'x-amz-date': time,
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    }
    const names = Object.keys(headers).toSorted()
    const canonical = [
      request.method,
      request.path,
      request.search,
      ...names.map((name) => `${name}:${headers[name]}`),
      '',
      names.join(';'),
      request.hash,
    ].join('\n')
    const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
    let key = Buffer.from(`AWS4${secretAccessKey}`)
    for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
    const signature = createHmac('sha256', key).update(text).digest('hex')
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
    return { ...headers, authorization }
  }
}

/** Encodes a path as signatures require: everything but unreserved characters and slashes. */
function encoded(path: string): string {
  return path.split('/').map(encodedPart).join('/')
}

function encodedPart(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function encodedQuery(query: URLSearchParams): string {
  return [...query].map(([name, value]) => `${encodedPart(name)}=${encodedPart(value)}`).join('&')
}

async function hashOf(content: Content): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(content.open(), hash)
  return hash.digest('hex')
}

async function textOf(answer: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxTextBytes) throw new Error('the object storage answered too much')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Returns the text of the first element with the name. What is asked for has no characters that XML escapes. */
function elementOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
}

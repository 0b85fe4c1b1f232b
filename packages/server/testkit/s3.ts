/** Fake S3: buckets with objects, conditional writes, lists in pages, and Signature Version 4, which it verifies. */
import { createHash } from 'node:crypto'
import { FakeServer, type FakeServerRequest, type Reply } from './fake-server.ts'
import { accessKeyId, isSigned, secretAccessKey } from './kms/aws.ts'

export const s3Region = 'eu-central-1'
export const s3Credentials = { accessKeyId, secretAccessKey }
const pageSize = 3

export class FakeS3 extends FakeServer {
  /** Objects by bucket and key, such as `replicas/acme/writers/1.json`. */
  readonly objects = new Map<string, Buffer>()
  readonly bucket = 'replicas'
  /** Whether it ignores the conditions of writes, as some do. */
  ignoresConditions = false

  protected take(request: FakeServerRequest): Reply {
    const { headers, bytes, method, path } = request
    if (headers['x-amz-content-sha256'] !== createHash('sha256').update(bytes).digest('hex'))
      return refusal(400, 'XAmzContentSHA256Mismatch')
    const signed = isSigned(request, { service: 's3', headers: ['host', 'x-amz-content-sha256', 'x-amz-date'] })
    if (!signed) return refusal(403, 'SignatureDoesNotMatch')
    const { pathname, searchParams } = new URL(path, this.url)
    const name = decodeURIComponent(pathname).slice(1)
    if (name.split('/')[0] !== this.bucket) return refusal(404, 'NoSuchBucket')
    if (method === 'GET') return name === this.bucket ? this.#list(searchParams) : this.#get(name)
    if (method === 'DELETE') return this.#remove(name)
    if (headers['if-none-match'] === '*' && this.objects.has(name) && !this.ignoresConditions)
      return refusal(412, 'PreconditionFailed')
    this.objects.set(name, bytes)
    return { status: 200, body: '' }
  }

  #remove(name: string): Reply {
    this.objects.delete(name)
    return { status: 204, body: '' }
  }

  #get(name: string): Reply {
    const body = this.objects.get(name)
    return body ? { status: 200, body } : refusal(404, 'NoSuchKey')
  }

  #list(query: URLSearchParams): Reply {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const found = [...this.objects]
      .map(([name, bytes]) => ({ key: name.slice(this.bucket.length + 1), bytes: bytes.length }))
      .filter(({ key }) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const page = found.slice(0, pageSize)
    const next = found.length > pageSize ? `<NextContinuationToken>${page.at(-1)?.key}</NextContinuationToken>` : ''
    const rows = page.map(({ key, bytes }) => `<Contents><Key>${key}</Key><Size>${bytes}</Size></Contents>`)
    return { status: 200, body: `<ListBucketResult>${rows.join('')}${next}</ListBucketResult>` }
  }
}

function refusal(status: number, code: string): Reply {
  return { status, body: `<Error><Code>${code}</Code><Message>The stand-in says it.</Message></Error>` }
}

/** Fake AWS KMS: JSON 1.1 with Signature Version 4, which it verifies. */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { FakeServer, type Reply, type FakeServerRequest } from '../fake-server.ts'
import { fromBase64, open, seal } from './keys.ts'

const region = 'eu-central-1'
export const accessKeyId = 'AKIASTANDIN000000001'
export const secretAccessKey = 'aws-secret-of-the-stand-in'

interface Key {
  readonly material: Buffer
  state: 'Enabled' | 'Disabled' | 'PendingDeletion' | 'Denied'
}

function arnOf(id: string): string {
  return `arn:aws:kms:${region}:111122223333:key/${id}`
}

const keyIdBytes = 36

export class FakeAwsKms extends FakeServer {
  readonly keys = new Map<string, Key>()

  /** Creates a key and returns its ARN. */
  newKey(): string {
    const id = [8, 4, 4, 4, 12].map((digits) => randomBytes(digits / 2).toString('hex')).join('-')
    this.keys.set(id, { material: randomBytes(32), state: 'Enabled' })
    return arnOf(id)
  }

  protected take(request: FakeServerRequest): Reply {
    const { headers, body } = request
    if (!headers.authorization?.includes(`Credential=${accessKeyId}/`)) return refusal('UnrecognizedClientException')
    if (!isSigned(request, { service: 'kms', headers: ['host', 'x-amz-date', 'x-amz-target'] }))
      return refusal('InvalidSignatureException')
    const fields = JSON.parse(body) as Record<string, unknown>
    const target = headers['x-amz-target']
    if (headers['content-type'] !== 'application/x-amz-json-1.1') return refusal('UnknownOperationException')
    if (target === 'TrentService.Encrypt') return this.#encrypt(fields)
    if (target === 'TrentService.Decrypt') return this.#decrypt(fields)
    return refusal('UnknownOperationException')
  }

  #encrypt({ KeyId, Plaintext, EncryptionContext }: Record<string, unknown>): Reply {
    const id = idOf(KeyId)
    const key = this.keys.get(id)
    if (key?.state !== 'Enabled') return refusalOf(key)
    const sealed = seal(key.material, fromBase64(Plaintext), aadOf(id, EncryptionContext))
    const blob = Buffer.concat([Buffer.from(id), sealed]).toString('base64')
    return { status: 200, body: { KeyId, CiphertextBlob: blob, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' } }
  }

  #decrypt({ KeyId, CiphertextBlob, EncryptionContext }: Record<string, unknown>): Reply {
    const blob = fromBase64(CiphertextBlob)
    const id = blob.toString('latin1', 0, keyIdBytes)
    if (!this.keys.has(id)) return refusal('InvalidCiphertextException')
    if (arnOf(id) !== KeyId) return refusal('IncorrectKeyException')
    const key = this.keys.get(id)
    if (key?.state !== 'Enabled') return refusalOf(key)
    const plaintext = open(key.material, blob.subarray(keyIdBytes), aadOf(id, EncryptionContext))
    if (!plaintext) return refusal('InvalidCiphertextException')
    const answer = { KeyId, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' }
    return { status: 200, body: answer }
  }
}

function idOf(arn: unknown): string {
  return String(arn).split('/').at(-1) ?? ''
}

function aadOf(id: string, context: unknown): Buffer {
  return Buffer.from(JSON.stringify([id, context]))
}

function refusalOf(key: Key | undefined): Reply {
  if (!key) return refusal('NotFoundException')
  if (key.state === 'Denied') return refusal('AccessDeniedException')
  return refusal(key.state === 'Disabled' ? 'DisabledException' : 'KMSInvalidStateException')
}

function refusal(type: string): Reply {
  return { status: 400, body: { __type: type, message: `The stand-in says ${type}.` } }
}

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Verifies a signature as described in "Create a signed AWS API request" of the IAM User Guide. `headers` must be signed. */
export function isSigned(
  { method, path, headers, bytes }: FakeServerRequest,
  required: { readonly service: string; readonly headers: readonly string[] },
): boolean {
  const pattern = /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, scope = '', signedHeaders = '', signature] = pattern.exec(headers.authorization ?? '') ?? []
  const [day = '', ...place] = scope.split('/')
  const time = String(headers['x-amz-date'])
  if (place.join('/') !== `${region}/${required.service}/aws4_request` || !time.startsWith(day)) return false
  const names = signedHeaders.split(';')
  if (!required.headers.every((name) => names.includes(name))) return false
  const canonical = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const [pathname, query = ''] = path.split('?')
  const sorted = query.split('&').toSorted().join('&')
  const request = [method, pathname, sorted, canonical, signedHeaders, sha256(bytes)].join('\n')
  const key = [day, ...place].reduce<string | Buffer>((so, part) => hmac(so, part), `AWS4${secretAccessKey}`)
  return hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex') === signature
}

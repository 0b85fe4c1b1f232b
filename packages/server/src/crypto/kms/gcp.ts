/**
 * Google Cloud KMS through its REST API v1, with credentials that Google's library finds (Application Default Credentials).
 * Requests and responses carry checksums, as "Verifying end-to-end data integrity" of its documentation requires.
 */
import { GoogleAuth } from 'google-auth-library'
import { z } from 'zod'
import { postJson, withTimeout, defaultTimeoutMs, type KmsResponse } from './requests.ts'
import { crc32c } from './crc32c.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsUnavailable, kmsErrorOfStatus } from './kms-error.ts'

const scope = 'https://www.googleapis.com/auth/cloudkms'

const encrypted = z.object({
  name: z.string(),
  ciphertext: z.base64(),
  ciphertextCrc32c: z.string(),
  verifiedPlaintextCrc32c: z.literal(true),
  verifiedAdditionalAuthenticatedDataCrc32c: z.literal(true),
})
/** A missing plaintext means an empty one. */
const decrypted = z.object({ plaintext: z.base64().default(''), plaintextCrc32c: z.string() })
const failed = z.object({ error: z.object({ status: z.string(), message: z.string() }) })

/** Returns a field of bytes with its checksum, a 64-bit number and therefore a string in JSON. */
function withChecksum(field: string, bytes: Uint8Array): Record<string, string> {
  return { [field]: Buffer.from(bytes).toString('base64'), [`${field}Crc32c`]: String(crc32c(bytes)) }
}

interface GcpOptions {
  /** projects/P/locations/L/keyRings/R/cryptoKeys/K */
  readonly key: string
  /** Address of a fake server in tests. */
  readonly baseUrl?: string
  readonly timeoutMs?: number
}

/** Google Cloud KMS. `wrapped` = the ciphertext of Cloud KMS, which contains the version of its key. */
export class GcpKms implements Kms {
  readonly name: string
  readonly #key: string
  readonly #baseUrl: string
  readonly #timeoutMs: number
  #auth: GoogleAuth

  constructor({ key, baseUrl = 'https://cloudkms.googleapis.com', timeoutMs = defaultTimeoutMs }: GcpOptions) {
    this.name = `gcp-kms:${key}`
    this.#key = key
    this.#baseUrl = baseUrl
    this.#timeoutMs = timeoutMs
    this.#auth = newAuth(key)
  }

  async wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    const answer = await this.#ask('encrypt', context, withChecksum('plaintext', key))
    if (answer.status !== 200) throw this.#unavailable(answer)
    const { success, data } = encrypted.safeParse(answer.body)
    if (!success || !data.name.startsWith(`${this.#key}/`)) throw kmsUnavailable(this.name, 'nonsense', 'no ciphertext')
    return this.#verifiedBytes(data.ciphertext, data.ciphertextCrc32c)
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    const answer = await this.#ask('decrypt', context, withChecksum('ciphertext', wrapped))
    if (answer.status !== 200) {
      if (!concernsCiphertext(answer)) throw this.#unavailable(answer)
      throw new CannotUnwrap('Cloud KMS reports that the data key was wrapped by another key or is damaged.')
    }
    const { success, data } = decrypted.safeParse(answer.body)
    if (!success) throw kmsUnavailable(this.name, 'nonsense', 'no plaintext')
    return this.#verifiedBytes(data.plaintext, data.plaintextCrc32c)
  }

  #verifiedBytes(base64: string, checksum: string): Buffer {
    const bytes = Buffer.from(base64, 'base64')
    if (String(crc32c(bytes)) !== checksum) throw kmsUnavailable(this.name, 'nonsense', 'wrong checksum')
    return bytes
  }

  #ask(operation: 'encrypt' | 'decrypt', context: string, fields: object): Promise<KmsResponse> {
    const body = { ...fields, ...withChecksum('additionalAuthenticatedData', Buffer.from(context)) }
    return withTimeout(this.name, this.#timeoutMs, async (signal) => {
      const headers = { authorization: `Bearer ${await this.#token(signal)}` }
      const url = `${this.#baseUrl}/v1/${this.#key}:${operation}`
      return postJson(url, { headers, body, signal, timeoutMs: this.#timeoutMs })
    })
  }

  async #token(signal: AbortSignal): Promise<string> {
    // The library has no timeout, and all callers wait for the response to the first caller's request.
    const startOver = (): void => {
      this.#auth = newAuth(this.#key)
    }
    signal.addEventListener('abort', startOver)
    try {
      return (await this.#auth.getAccessToken()) ?? ''
    } catch (error) {
      throw kmsUnavailable(this.name, 'stranger', errorCodeOf(error as Error), error)
    } finally {
      signal.removeEventListener('abort', startOver)
    }
  }

  #unavailable({ status, body }: KmsResponse): Error {
    const code = failed.safeParse(body).data?.error.status ?? `status ${status}`
    return kmsUnavailable(this.name, kmsErrorOfStatus(status), code)
  }
}

/** Creates the credentials with the key's project. Otherwise the library would look up a billing project, unused here. */
function newAuth(key: string): GoogleAuth {
  const [, projectId = ''] = key.split('/')
  return new GoogleAuth({ scopes: scope, projectId })
}

/**
 * Returns whether an error concerns the wrapped key. FAILED_PRECONDITION, also a 400, means that the key version is disabled
 * or destroyed. A checksum error means damage in transit to Google.
 */
function concernsCiphertext({ body }: KmsResponse): boolean {
  const { status, message } = failed.safeParse(body).data?.error ?? { status: '', message: '' }
  return status === 'INVALID_ARGUMENT' && !/checksum|crc32c/i.test(message)
}

/** Returns the status of the token service or the system's error code, never the text, which may quote the credentials. */
function errorCodeOf({ code, status }: Error & { code?: string; status?: number }): string {
  return status === undefined ? (code ?? 'no credentials found') : `status ${status}`
}

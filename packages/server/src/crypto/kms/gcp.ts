/**
 * Google Cloud KMS by its REST API v1, with credentials as Google's library finds them (Application Default Credentials).
 * Checksums go both ways, as "Verifying end-to-end data integrity" of its documentation asks.
 */
import { GoogleAuth } from 'google-auth-library'
import { z } from 'zod'
import { askJson, inTime, usualPatienceMs, type Answer } from './ask.ts'
import { crc32c } from './crc32c.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsTrouble, troubleOf } from './kms-error.ts'

const scope = 'https://www.googleapis.com/auth/cloudkms'

const encrypted = z.object({
  name: z.string(),
  ciphertext: z.base64(),
  ciphertextCrc32c: z.string(),
  verifiedPlaintextCrc32c: z.literal(true),
  verifiedAdditionalAuthenticatedDataCrc32c: z.literal(true),
})
/** No plaintext is an empty one. */
const decrypted = z.object({ plaintext: z.base64().default(''), plaintextCrc32c: z.string() })
const failed = z.object({ error: z.object({ status: z.string(), message: z.string() }) })

/** A field of bytes with its checksum, which is a number of 64 bits and so a string in JSON. */
function checked(field: string, bytes: Uint8Array): Record<string, string> {
  return { [field]: Buffer.from(bytes).toString('base64'), [`${field}Crc32c`]: String(crc32c(bytes)) }
}

interface GcpParts {
  /** projects/P/locations/L/keyRings/R/cryptoKeys/K */
  readonly key: string
  /** Of a stand-in. */
  readonly baseUrl?: string
  readonly patienceMs?: number
}

/** `wrapped` = the ciphertext of Cloud KMS, which holds the version of its key. */
export class GcpKms implements Kms {
  readonly name: string
  readonly #key: string
  readonly #baseUrl: string
  readonly #patienceMs: number
  #auth: GoogleAuth

  constructor({ key, baseUrl = 'https://cloudkms.googleapis.com', patienceMs = usualPatienceMs }: GcpParts) {
    this.name = `gcp-kms:${key}`
    this.#key = key
    this.#baseUrl = baseUrl
    this.#patienceMs = patienceMs
    this.#auth = newAuth(key)
  }

  async wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    const answer = await this.#ask('encrypt', context, checked('plaintext', key))
    if (answer.status !== 200) throw this.#trouble(answer)
    const { success, data } = encrypted.safeParse(answer.body)
    if (!success || !data.name.startsWith(`${this.#key}/`)) throw kmsTrouble(this.name, 'nonsense', 'no ciphertext')
    return this.#undamaged(data.ciphertext, data.ciphertextCrc32c)
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    const answer = await this.#ask('decrypt', context, checked('ciphertext', wrapped))
    if (answer.status !== 200) {
      if (!isOfCiphertext(answer)) throw this.#trouble(answer)
      throw new CannotUnwrap('Cloud KMS says that the key was wrapped by another of its keys, or is damaged.')
    }
    const { success, data } = decrypted.safeParse(answer.body)
    if (!success) throw kmsTrouble(this.name, 'nonsense', 'no plaintext')
    return this.#undamaged(data.plaintext, data.plaintextCrc32c)
  }

  #undamaged(base64: string, checksum: string): Buffer {
    const bytes = Buffer.from(base64, 'base64')
    if (String(crc32c(bytes)) !== checksum) throw kmsTrouble(this.name, 'nonsense', 'wrong checksum')
    return bytes
  }

  #ask(operation: 'encrypt' | 'decrypt', context: string, fields: object): Promise<Answer> {
    const body = { ...fields, ...checked('additionalAuthenticatedData', Buffer.from(context)) }
    return inTime(this.name, this.#patienceMs, async (signal) => {
      const headers = { authorization: `Bearer ${await this.#token(signal)}` }
      const url = `${this.#baseUrl}/v1/${this.#key}:${operation}`
      return askJson(url, { headers, body, signal, patienceMs: this.#patienceMs })
    })
  }

  async #token(signal: AbortSignal): Promise<string> {
    // The library has no time limit, and lets everybody wait for the answer that the first one waits for.
    const startOver = (): void => {
      this.#auth = newAuth(this.#key)
    }
    signal.addEventListener('abort', startOver)
    try {
      return (await this.#auth.getAccessToken()) ?? ''
    } catch (error) {
      throw kmsTrouble(this.name, 'stranger', wordOf(error as Error), error)
    } finally {
      signal.removeEventListener('abort', startOver)
    }
  }

  #trouble({ status, body }: Answer): Error {
    const word = failed.safeParse(body).data?.error.status ?? `status ${status}`
    return kmsTrouble(this.name, troubleOf(status), word)
  }
}

/** With the key's own project: one to bill is of no use here, and the library would ask another API for it. */
function newAuth(key: string): GoogleAuth {
  const [, projectId = ''] = key.split('/')
  return new GoogleAuth({ scopes: scope, projectId })
}

/** FAILED_PRECONDITION, also 400, is of a version that is disabled or destroyed; a checksum, of the way to Google. */
function isOfCiphertext({ body }: Answer): boolean {
  const { status, message } = failed.safeParse(body).data?.error ?? { status: '', message: '' }
  return status === 'INVALID_ARGUMENT' && !/checksum|crc32c/i.test(message)
}

/** The status of the token service, or what the system said; its text may quote the credentials. */
function wordOf({ code, status }: Error & { code?: string; status?: number }): string {
  return status === undefined ? (code ?? 'none found') : `status ${status}`
}

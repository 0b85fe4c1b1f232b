/** AWS KMS through the AWS SDK. Credentials come from the environment, a profile, the pod or the machine. */
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { inTime, maxTries, shareOfTry, usualPatienceMs } from './ask.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsTrouble, troubleOf, type KmsError } from './kms-error.ts'

const ofWrappedKey = ['InvalidCiphertextException', 'IncorrectKeyException']
/** Maximum size of a ciphertext that AWS accepts. */
const maxBytes = 6_144

/** Errors whose name says more than their status, which is 400 for most. */
const troubles: readonly (readonly [RegExp, KmsError])[] = [
  [/^AccessDenied/, 'refusal'],
  [/^(CredentialsProvider|TokenProvider)Error$|^(UnrecognizedClient|ExpiredToken|InvalidSignature)/, 'stranger'],
  [/^(IncompleteSignature|MissingAuthenticationToken|InvalidClientTokenId|SignatureDoesNotMatch)/, 'stranger'],
  [/^(Throttling|LimitExceeded|DependencyTimeout|KMSInternal|KeyUnavailable)/, 'overload'],
]

interface AwsError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** AWS KMS. `wrapped` = the ciphertext of AWS, which contains the name of its key. */
export class AwsKms implements Kms {
  readonly name: string
  readonly #keyArn: string
  readonly #client: KMSClient
  readonly #patienceMs: number

  /** `keyArn` is the ARN of a symmetric key, arn:aws:kms:REGION:ACCOUNT:key/ID. */
  constructor(keyArn: string, patienceMs = usualPatienceMs) {
    const [, , , region = ''] = keyArn.split(':')
    const tryMs = patienceMs * shareOfTry
    this.name = `aws-kms:${keyArn}`
    this.#keyArn = keyArn
    this.#patienceMs = patienceMs
    this.#client = new KMSClient({
      region,
      maxAttempts: maxTries,
      requestHandler: { connectionTimeout: tryMs, requestTimeout: tryMs, throwOnRequestTimeout: true },
    })
  }

  wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    return this.#ask(async (signal) => {
      const command = new EncryptCommand({
        KeyId: this.#keyArn,
        Plaintext: key,
        EncryptionContext: { rollkey: context },
      })
      const { KeyId, CiphertextBlob } = await this.#client.send(command, { abortSignal: signal })
      return this.#ofOurKey(KeyId, CiphertextBlob)
    })
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    if (wrapped.length === 0 || wrapped.length > maxBytes)
      throw new CannotUnwrap('The wrapped key is not a ciphertext of AWS KMS.')
    return this.#ask(async (signal) => {
      const command = new DecryptCommand({
        KeyId: this.#keyArn,
        CiphertextBlob: wrapped,
        EncryptionContext: { rollkey: context },
      })
      const { KeyId, Plaintext } = await this.#client.send(command, { abortSignal: signal })
      return Buffer.from(this.#ofOurKey(KeyId, Plaintext))
    })
  }

  /** Returns the bytes, if the response is from the requested key. */
  #ofOurKey(keyArn: string | undefined, bytes: Uint8Array | undefined): Uint8Array {
    if (keyArn === this.#keyArn && bytes !== undefined) return bytes
    throw kmsTrouble(this.name, 'nonsense', bytes === undefined ? 'empty response' : 'another key')
  }

  #ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return inTime(this.name, this.#patienceMs, (signal) => work(signal).catch((error: AwsError) => this.#fail(error)))
  }

  #fail(error: AwsError): never {
    const { name, $metadata } = error
    if (ofWrappedKey.includes(name)) {
      throw new CannotUnwrap('AWS KMS reports that the data key was wrapped by another key or is damaged.')
    }
    const [, ofName] = troubles.find(([pattern]) => pattern.test(name)) ?? []
    const status = $metadata?.httpStatusCode
    if (ofName === undefined && status === undefined) throw error
    const word = name === 'Unknown' ? `status ${status}` : name
    throw kmsTrouble(this.name, ofName ?? troubleOf(status ?? 0), word, error)
  }
}

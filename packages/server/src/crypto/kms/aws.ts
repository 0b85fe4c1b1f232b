/** AWS KMS through the AWS SDK. Credentials come from the environment, a profile, the pod or the machine. */
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { withTimeout, maxAttempts, attemptShare, defaultTimeoutMs } from './requests.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsUnavailable, kmsErrorOfStatus, type KmsError } from './kms-error.ts'

const wrappedKeyErrors = ['InvalidCiphertextException', 'IncorrectKeyException']
/** Maximum size of a ciphertext that AWS accepts. */
const maxBytes = 6_144

/** Errors whose name says more than their status, which is 400 for most. */
const errorsByName: readonly (readonly [RegExp, KmsError])[] = [
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
  readonly #timeoutMs: number

  /** `keyArn` is the ARN of a symmetric key, arn:aws:kms:REGION:ACCOUNT:key/ID. */
  constructor(keyArn: string, timeoutMs = defaultTimeoutMs) {
    const [, , , region = ''] = keyArn.split(':')
    const attemptMs = timeoutMs * attemptShare
    this.name = `aws-kms:${keyArn}`
    this.#keyArn = keyArn
    this.#timeoutMs = timeoutMs
    this.#client = new KMSClient({
      region,
      maxAttempts,
      requestHandler: { connectionTimeout: attemptMs, requestTimeout: attemptMs, throwOnRequestTimeout: true },
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
      return this.#checkedBytes(KeyId, CiphertextBlob)
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
      return Buffer.from(this.#checkedBytes(KeyId, Plaintext))
    })
  }

  /** Returns the bytes, if the response is from the requested key. */
  #checkedBytes(keyArn: string | undefined, bytes: Uint8Array | undefined): Uint8Array {
    if (keyArn === this.#keyArn && bytes !== undefined) return bytes
    throw kmsUnavailable(this.name, 'nonsense', bytes === undefined ? 'empty response' : 'another key')
  }

  #ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(this.name, this.#timeoutMs, (signal) =>
      work(signal).catch((error: AwsError) => this.#fail(error)),
    )
  }

  #fail(error: AwsError): never {
    const { name, $metadata } = error
    if (wrappedKeyErrors.includes(name)) {
      throw new CannotUnwrap('AWS KMS reports that the data key was wrapped by another key or is damaged.')
    }
    const [, kmsError] = errorsByName.find(([pattern]) => pattern.test(name)) ?? []
    const status = $metadata?.httpStatusCode
    if (kmsError === undefined && status === undefined) throw error
    const code = name === 'Unknown' ? `status ${status}` : name
    throw kmsUnavailable(this.name, kmsError ?? kmsErrorOfStatus(status ?? 0), code, error)
  }
}

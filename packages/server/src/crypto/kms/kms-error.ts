import { KmsUnavailable } from '../../base/api-error.ts'

/** Messages for each kind of KMS error, and what the operator can do about it. */
const messages = {
  unreachable: ['cannot be reached', 'check its address and the network'],
  stranger: ['cannot be used without valid credentials', 'set them as docs/keys.md says'],
  refusal: ['refuses this service', 'allow it to encrypt and decrypt with this key, as docs/keys.md says'],
  key: ['cannot use this key', 'check that it exists, is enabled and is of the kind that docs/keys.md names'],
  overload: ['is busy or has trouble', 'try again later'],
  nonsense: ['returned an unexpected response', 'check that its address is right'],
} as const

export type KmsError = keyof typeof messages

/** Returns an error code of the KMS, such as ThrottlingException, shortened, on one line and without a value. */
function printableCode(code: string): string {
  return code.replaceAll(/[^\w.: -]/g, '').slice(0, 60)
}

/** Returns the error for an unusable KMS, with a message for the operator. */
export function kmsUnavailable(kms: string, error: KmsError, code: string, cause?: unknown): KmsUnavailable {
  const [what, remedy] = messages[error]
  const word = printableCode(code)
  return new KmsUnavailable(`The KMS ${kms} ${what} (${word}): ${remedy}.`, word, { cause })
}

/** Returns the kind of error that an HTTP status means. */
export function kmsErrorOfStatus(status: number): KmsError {
  if (status === 401) return 'stranger'
  if (status === 403) return 'refusal'
  if (status === 400 || status === 404) return 'key'
  return status === 412 || status === 429 || status >= 500 ? 'overload' : 'nonsense'
}

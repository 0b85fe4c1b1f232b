import { KmsUnavailable } from '../../base/api-error.ts'

/** What a KMS did instead of its work, and what the operator can do about it. */
const sentences = {
  unreachable: ['cannot be reached', 'look at its address and the network in between'],
  stranger: ['cannot be asked for lack of good credentials', 'give them as docs/keys.md says'],
  refusal: ['refuses this service', 'allow it to encrypt and decrypt with this key, as docs/keys.md says'],
  key: ['cannot use this key', 'see that it exists, is enabled and is of the kind that docs/keys.md names'],
  overload: ['is busy or has trouble', 'try again later'],
  nonsense: ['gives answers that are not of its protocol', 'see that the address is its own'],
} as const

export type KmsError = keyof typeof sentences

/** A word of the other side, such as ThrottlingException: short, on one line, and without a value. */
function wordOf(code: string): string {
  return code.replaceAll(/[^\w.: -]/g, '').slice(0, 60)
}

export function kmsTrouble(kms: string, trouble: KmsError, code: string, cause?: unknown): KmsUnavailable {
  const [what, remedy] = sentences[trouble]
  const word = wordOf(code)
  return new KmsUnavailable(`The KMS ${kms} ${what} (${word}): ${remedy}.`, word, { cause })
}

/** What kind of trouble an HTTP status tells of. */
export function troubleOf(status: number): KmsError {
  if (status === 401) return 'stranger'
  if (status === 403) return 'refusal'
  if (status === 400 || status === 404) return 'key'
  return status === 412 || status === 429 || status >= 500 ? 'overload' : 'nonsense'
}

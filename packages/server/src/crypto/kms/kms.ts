/**
 * The KMS port: a KMS wraps data keys with the master key. Callers never get the master key itself.
 * `test/crypto/kms.suite.ts` defines what an implementation must do.
 */
export interface Kms {
  /** Name of the KMS and the master key, for messages and stored with each wrapped key. */
  readonly name: string
  /** Wraps a key and binds `context` to it: the key does not unwrap with another context. Throws KmsUnavailable. */
  wrap(key: Uint8Array, context: string): Promise<Uint8Array>
  /** Unwraps a key. Throws CannotUnwrap, which concerns this key, or KmsUnavailable, which is temporary. */
  unwrap(wrapped: Uint8Array, context: string): Promise<Buffer>
}

/** Thrown when the wrapped key is damaged, has another context or was wrapped by another master key. */
export class CannotUnwrap extends Error {}

/** Combines two KMS while the master key is being changed. Wraps with the first and unwraps with either. */
export function eitherKms(first: Kms, other: Kms): Kms {
  return {
    name: first.name,
    wrap: (key, context) => first.wrap(key, context),
    async unwrap(wrapped, context) {
      try {
        return await first.unwrap(wrapped, context)
      } catch (error) {
        // The second KMS is tried also if the first is unavailable. A CannotUnwrap of the second then means nothing, so
        // the error of the first counts.
        return other.unwrap(wrapped, context).catch((otherError: unknown) => {
          throw otherError instanceof CannotUnwrap ? error : otherError
        })
      }
    },
  }
}

/**
 * The KMS port: who keeps the master key wraps data keys with it. The master key itself never comes to the callers.
 * What an implementation must do is in `test/crypto/kms.suite.ts`.
 */
export interface Kms {
  /** Names the kind of KMS and the master key, for messages and for the record beside each wrapped key. */
  readonly name: string
  /** `context` is bound to the wrapped key: another one does not unwrap it. Throws KmsUnavailable. */
  wrap(key: Uint8Array, context: string): Promise<Uint8Array>
  /** Throws CannotUnwrap, which is about this key, or KmsUnavailable, which will pass. */
  unwrap(wrapped: Uint8Array, context: string): Promise<Buffer>
}

/** The wrapped key is damaged, of another context, or of another master key. */
export class CannotUnwrap extends Error {}

/** While a master key is changed for another: wraps with the first, unwraps with either. */
export function eitherKms(first: Kms, other: Kms): Kms {
  return {
    name: first.name,
    wrap: (key, context) => first.wrap(key, context),
    async unwrap(wrapped, context) {
      try {
        return await first.unwrap(wrapped, context)
      } catch (error) {
        // Also if the first one is away. That the other one cannot says nothing then.
        return other.unwrap(wrapped, context).catch((otherError: unknown) => {
          throw otherError instanceof CannotUnwrap ? error : otherError
        })
      }
    },
  }
}

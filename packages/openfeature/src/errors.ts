import {
  FlagNotFoundError,
  GeneralError,
  ParseError,
  ProviderFatalError,
  type OpenFeatureError,
} from '@openfeature/server-sdk'
import { RollkeyError } from '@rollkey/sdk'

/** Returns whether waiting may help. Otherwise the settings or the credential are wrong. */
export function isTransient(cause: unknown): boolean {
  return cause instanceof RollkeyError && cause.retry === 'backoff'
}

/** Returns whether an error concerns all evaluations: the service cannot be reached, or it refuses the credential. */
export function concernsAll(cause: unknown): boolean {
  return isTransient(cause) || (cause instanceof RollkeyError && (cause.status === 401 || cause.status === 403))
}

/** Returns an error of the start as an OpenFeature error. */
export function startError(cause: unknown): OpenFeatureError {
  const { message } = cause as Error
  return isTransient(cause) ? new GeneralError(message, { cause }) : new ProviderFatalError(message, { cause })
}

/** Returns an error of an evaluation as an OpenFeature error. */
export function evaluationError(cause: unknown): OpenFeatureError {
  const { message } = cause as Error
  const code = cause instanceof RollkeyError ? cause.code : undefined
  if (code === 'VARIABLE_NOT_FOUND') return new FlagNotFoundError(message, { cause })
  if (code === 'INVALID_ANSWER') return new ParseError(message, { cause })
  return new GeneralError(message, { cause })
}

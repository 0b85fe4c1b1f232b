/** Reads the request of a token exchange (RFC 8693, section 2.1). */
import { isUtf8 } from 'node:buffer'
import { OAuthError } from '../../trusts/oauth-error.ts'

export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
/** A platform's token is a JWT, whether or not its platform calls it an ID token. */
const subjectTokenTypes = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token']
/** Parameters that a request may name once. It ignores others. */
const known = [
  'grant_type',
  'subject_token',
  'subject_token_type',
  'audience',
  'requested_token_type',
  'scope',
  'resource',
  'actor_token',
  'actor_token_type',
] as const

type Parameter = (typeof known)[number]

export interface TokenRequest {
  readonly subjectToken: string
  /** Id of the trust. */
  readonly audience: string
}

/** Throws OAuthError unless the body is a form. */
export function formOf(bytes: Buffer, contentType: string | undefined): URLSearchParams {
  const [type = ''] = (contentType ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded' || !isUtf8(bytes))
    throw new OAuthError(
      'invalid_request',
      'The body is not a form in UTF-8: send it with Content-Type: application/x-www-form-urlencoded.',
    )
  return new URLSearchParams(bytes.toString())
}

/** Returns the parameters that have a value (RFC 6749, section 3.2). Throws OAuthError for one that is sent twice. */
function valuesOf(form: URLSearchParams): Partial<Record<Parameter, string>> {
  const values: Partial<Record<Parameter, string>> = {}
  for (const name of known) {
    const [value = '', ...more] = form.getAll(name)
    if (more.length > 0) throw new OAuthError('invalid_request', `The form has ${name} twice: send it once.`)
    if (value !== '') values[name] = value
  }
  return values
}

/** Throws OAuthError. */
export function tokenRequestOf(form: URLSearchParams): TokenRequest {
  const values = valuesOf(form)
  const need = (name: Parameter): string => {
    const value = values[name]
    if (value === undefined) throw new OAuthError('invalid_request', `The form has no ${name}: add it.`)
    return value
  }
  if (need('grant_type') !== tokenExchangeGrant)
    throw new OAuthError(
      'unsupported_grant_type',
      `grant_type is another one (expected ${tokenExchangeGrant}): change it.`,
    )
  if (!subjectTokenTypes.includes(need('subject_token_type')))
    throw new OAuthError(
      'invalid_request',
      `subject_token_type is another one (expected ${subjectTokenTypes.join(' or ')}): change it.`,
    )
  if (values.requested_token_type !== undefined && values.requested_token_type !== accessTokenType)
    throw new OAuthError(
      'invalid_request',
      `requested_token_type is another one (expected ${accessTokenType}): leave it out.`,
    )
  if (values.actor_token !== undefined || values.actor_token_type !== undefined)
    throw new OAuthError(
      'invalid_request',
      'The form has an actor_token, which the service does not use: leave it out.',
    )
  if (values.scope !== undefined)
    throw new OAuthError('invalid_scope', 'The trust decides what the access token may do: leave out scope.')
  if (values.resource !== undefined)
    throw new OAuthError('invalid_target', 'The trust decides where the access token is valid: leave out resource.')
  return { subjectToken: need('subject_token'), audience: need('audience') }
}

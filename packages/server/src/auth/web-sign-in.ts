/**
 * Signs people in to the web application at an external provider: authorization code with PKCE (OpenID Connect Core 1.0,
 * section 3.1; RFC 7636). The service stores nothing between start and end, because the page keeps the proof. The service
 * exchanges the code, so the page contacts no other host and the provider needs no CORS.
 */
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { boundedFetch } from '../upstream/bounded-body.ts'
import { Breaker, UpstreamUnavailable } from '../upstream/breaker.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { confirmationMaxAgeSec } from './confirmation.ts'
import { isTrustworthyUrl } from '../upstream/trustworthy-url.ts'
import type { ProviderIdentity, ProviderTokens, TokenRefusal } from './provider-tokens.ts'

const defaultTimeoutMs = 5_000
/** The fraction of the timeout after which a failure counts as slow. */
const slowFraction = 0.2
const maxBytes = 256 * 1024

/** Messages for a person whose sign-in produced no accepted token. */
const messages: Readonly<Record<TokenRefusal, string>> = {
  unreadable:
    'You are signed in, but the identity provider issued no token that this service can read (expected a signed JWT that names the active organization). Ask the operator to check ROLLKEY_IDP_SCOPES and the client settings at the provider.',
  signature:
    'You are signed in, but the signature of the token matches none of the keys that the identity provider publishes. Try again in a minute. If it happens again, ask the operator to check ROLLKEY_IDP_JWKS_URL.',
  issuer:
    'You are signed in, but the token does not name the issuer that this service expects. Ask the operator to compare ROLLKEY_IDP_ISSUER with the issuer that the provider publishes.',
  time: 'You are signed in, but the token has expired or is not valid yet. Try again. If it happens again, ask the operator to compare the clocks of this service and the identity provider.',
  audience:
    'You are signed in, but the token is for another application. Ask the operator to compare ROLLKEY_IDP_AUDIENCE, ROLLKEY_IDP_AUTHORIZED_PARTIES and ROLLKEY_IDP_CLIENT_ID with what the identity provider issues.',
  claims:
    'You are signed in at the identity provider, but your account is not one of those that this service admits. Use your account of the organization, or ask the operator to check ROLLKEY_IDP_REQUIRED_CLAIMS.',
  organization:
    'You are signed in, but you have no active organization at the identity provider: choose one there, then try again.',
}

const reasons: Readonly<Record<TokenRefusal, string>> = {
  unreadable: 'cannot be read',
  signature: 'is signed by an unknown key',
  issuer: 'names another issuer',
  time: 'is not valid at this time',
  audience: 'is for another application',
  claims: 'does not have the required claims',
  organization: 'names no active organization',
}

/** Messages for the errors that a provider returns instead of a code or a token (RFC 6749, sections 4.1.2.1 and 5.2). */
const providerMessages: Readonly<Record<string, string>> = {
  access_denied:
    'The identity provider denied access, or the sign-in was canceled there (access_denied). Start again, or use another account.',
  invalid_grant: 'The sign-in took too long or was already completed (invalid_grant). Start again.',
  invalid_client:
    'The identity provider does not accept this service as its client (invalid_client). Ask the operator to check ROLLKEY_IDP_CLIENT_ID: the client must be public.',
  unauthorized_client:
    'The identity provider does not let this client sign people in (unauthorized_client). Ask the operator to check the client settings at the provider.',
  invalid_scope:
    'The identity provider does not know the requested scopes (invalid_scope). Ask the operator to check ROLLKEY_IDP_SCOPES.',
}

/** Values that bind the end of a sign-in to its start. The page keeps them between the two. */
export interface SignInProof {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface WebClient {
  readonly issuer: string
  readonly clientId: string
  readonly scopes: string
  /** The URL to which the provider sends the browser back. */
  readonly redirectUri: string
}

interface WebSignInParts {
  readonly client: WebClient
  readonly tokens: ProviderTokens
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs?: number
}

/** Returns whether the provider answered, with an error. */
function isAnswer(error: unknown): error is client.ResponseBodyError | client.AuthorizationResponseError {
  return error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError
}

/** Returns whether there was no answer, or none in time. */
function isUnavailable(error: unknown): boolean {
  const { code } = error as { code?: string }
  const hasNoResponse = error instanceof TypeError || error instanceof UpstreamUnavailable
  return hasNoResponse || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT'
}

function unavailable(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The identity provider cannot be reached at the moment: try again.')
}

export class WebSignIn {
  readonly #client: WebClient
  readonly #tokens: ProviderTokens
  readonly #log: Log
  readonly #timeoutMs: number
  readonly #breaker: Breaker
  #discovered: client.Configuration | undefined
  #discovering: Promise<client.Configuration> | undefined

  constructor({ client: webClient, tokens, clock, log, timeoutMs = defaultTimeoutMs }: WebSignInParts) {
    this.#client = webClient
    this.#tokens = tokens
    this.#log = log
    this.#timeoutMs = timeoutMs
    this.#breaker = new Breaker({ clock, slowMs: timeoutMs * slowFraction, isAnswer })
  }

  /**
   * Returns the URL to which to send the browser. With `confirm`, the provider asks for credentials again unless it did so
   * recently. Throws NOT_FOUND if the provider publishes no such URL, SERVICE_UNAVAILABLE if it is down.
   */
  async start(confirm: boolean): Promise<{ url: string } & SignInProof> {
    const provider = await this.#provider()
    const { authorization_endpoint: endpoint, response_modes_supported: modes } = provider.serverMetadata()
    if (endpoint === undefined || !isTrustworthyUrl(endpoint)) {
      throw new ApiError(
        'NOT_FOUND',
        'The identity provider publishes no sign-in page (expected an https authorization_endpoint): ask the operator to check ROLLKEY_IDP_ISSUER.',
      )
    }
    const codeVerifier = client.randomPKCECodeVerifier()
    const state = client.randomState()
    const nonce = client.randomNonce()
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.#client.redirectUri,
      scope: this.#client.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(confirm && { max_age: String(confirmationMaxAgeSec) }),
      // A code in a fragment reaches no server until this one exchanges it.
      ...(modes?.includes('fragment') === true && { response_mode: 'fragment' }),
    })
    return { url: url.href, state, nonce, codeVerifier }
  }

  /**
   * Returns a token that the service accepts. Prefers a token that says when the person authenticated, then the access token over
   * the ID token. Throws UNAUTHORIZED with the reason if the provider refuses or neither token is accepted, and SERVICE_UNAVAILABLE
   * if the provider is down.
   */
  async finish(callback: string, proof: SignInProof): Promise<{ token: string; expiresAtMs: number; name?: string }> {
    const granted = await this.#exchange(callback, proof)
    const accessTokenResult = await this.#examine(granted.access_token)
    const idTokenResult = await this.#examine(granted.id_token)
    const accepted = [accessTokenResult, idTokenResult].filter((result) => typeof result !== 'string')
    const { token } = accepted.find(({ authenticatedAtMs }) => authenticatedAtMs !== undefined) ?? accepted[0] ?? {}
    if (token === undefined) throw this.#refusal(accessTokenResult as TokenRefusal, idTokenResult as TokenRefusal)
    const name = granted.claims()?.['name']
    const expiresAtMs = (decodeJwt(token).exp ?? 0) * 1_000
    return { token, expiresAtMs, ...(typeof name === 'string' && { name }) }
  }

  /** Returns the token and its identity, or the reason that it is refused. */
  async #examine(token: string | undefined): Promise<(ProviderIdentity & { readonly token: string }) | TokenRefusal> {
    if (token === undefined) return 'unreadable'
    const result = await this.#tokens.examine(token)
    return typeof result === 'string' ? result : { ...result, token }
  }

  /**
   * Returns an error that explains the refusal of the access token, which the service prefers. If the access token is unreadable, it
   * explains that of the ID token, because many providers issue access tokens that only they can read.
   */
  #refusal(accessTokenRefusal: TokenRefusal, idTokenRefusal: TokenRefusal): ApiError {
    const first = accessTokenRefusal === 'unreadable' ? idTokenRefusal : accessTokenRefusal
    const more = first === idTokenRefusal ? '' : ` The ID token was refused too: it ${reasons[idTokenRefusal]}.`
    this.#log.warn('sign-in at the identity provider returned no accepted token', {
      code: `access token: ${accessTokenRefusal}, id token: ${idTokenRefusal}`,
    })
    return new ApiError('UNAUTHORIZED', messages[first] + more)
  }

  async #exchange(callback: string, { state, nonce, codeVerifier }: SignInProof) {
    const provider = await this.#provider()
    const url = new URL(`${this.#client.redirectUri}?${callback}`)
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce }
    try {
      return await this.#breaker.run(() => client.authorizationCodeGrant(provider, url, checks))
    } catch (error) {
      // The error's message may quote the code, so the log gets only the error's code.
      this.#log.warn('sign-in at the identity provider failed', {
        code: (error as { code?: string }).code ?? 'unknown',
      })
      if (isUnavailable(error)) throw unavailable()
      const message =
        isAnswer(error) && Object.hasOwn(providerMessages, error.error) ? providerMessages[error.error] : undefined
      throw new ApiError('UNAUTHORIZED', message ?? 'The identity provider did not confirm the sign-in: start again.')
    }
  }

  async #provider(): Promise<client.Configuration> {
    if (this.#discovered) return this.#discovered
    // After a slow failure only one request retries discovery. The others fail at once instead of waiting.
    if (this.#breaker.isOpen) throw unavailable()
    this.#discovering ??= this.#breaker.run(() => this.#discover()).finally(() => (this.#discovering = undefined))
    try {
      return (this.#discovered = await this.#discovering)
    } catch (error) {
      this.#log.warn('discovery at the identity provider failed', { reason: reasonOf(error) })
      throw unavailable()
    }
  }

  #discover(): Promise<client.Configuration> {
    const issuer = new URL(this.#client.issuer)
    return client.discovery(issuer, this.#client.clientId, undefined, client.None(), {
      timeout: this.#timeoutMs / 1_000,
      [client.customFetch]: boundedFetch(maxBytes) as client.CustomFetch,
      // The settings allow plain http only for a loopback address.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    })
  }
}

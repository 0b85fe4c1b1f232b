/**
 * Sign-in of the web application at an outside provider: authorization code with PKCE (OpenID Connect Core 1.0, section
 * 3.1; RFC 7636). The service keeps nothing between start and end: the page holds the proof, and the exchange is done
 * here, so that the page talks to no other host and the provider needs no CORS.
 */
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { boundedFetch } from '../base/bounded-body.ts'
import { Breaker } from '../base/breaker.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { confirmationMaxAgeSec } from '../base/confirmation.ts'
import { isTrustworthyUrl } from './jwks.ts'
import type { ProviderIdentity, ProviderTokens, Refusal } from './provider-tokens.ts'

const usualTimeoutMs = 5_000
/** The share of the time-out from which on a failure is slow. */
const slowShare = 0.2
const maxBytes = 256 * 1024

/** What to tell a person whose sign-in gave no token that counts. */
const sentences: Readonly<Record<Refusal, string>> = {
  unreadable:
    'You are signed in, but the identity provider issued no token that this service can read (expected a signed JWT that names the active organization). Ask the operator to look at ROLLKEY_IDP_SCOPES and at the client at the provider.',
  signature:
    'You are signed in, but the signature of the token fits none of the keys that the identity provider publishes. Try again in a minute. If it happens again, ask the operator to look at ROLLKEY_IDP_JWKS_URL.',
  issuer:
    'You are signed in, but the token names another issuer than this service expects. Ask the operator to compare ROLLKEY_IDP_ISSUER with the issuer that the provider publishes.',
  time: 'You are signed in, but the token has expired or is not valid yet. Try again. If it happens again, ask the operator to compare the clocks of this service and the identity provider.',
  audience:
    'You are signed in, but the token is for another application. Ask the operator to compare ROLLKEY_IDP_AUDIENCE, ROLLKEY_IDP_AUTHORIZED_PARTIES and ROLLKEY_IDP_CLIENT_ID with what the identity provider issues.',
  organization:
    'You are signed in, but the identity provider names no active organization: choose one there, then try again.',
}

const shortly: Readonly<Record<Refusal, string>> = {
  unreadable: 'cannot be read',
  signature: 'is signed by an unknown key',
  issuer: 'names another issuer',
  time: 'is not valid at this time',
  audience: 'is for another application',
  organization: 'names no active organization',
}

/** What the provider says instead of a code or a token (RFC 6749, sections 4.1.2.1 and 5.2). */
const ofProvider: Readonly<Record<string, string>> = {
  access_denied:
    'The identity provider did not let you in, or the sign-in was cancelled there (access_denied). Start again, or use another account.',
  invalid_grant: 'The sign-in took too long, or was finished already (invalid_grant). Start again.',
  invalid_client:
    'The identity provider does not accept this service as its client (invalid_client). Ask the operator to look at ROLLKEY_IDP_CLIENT_ID: the client must be public.',
  unauthorized_client:
    'The identity provider does not let this client sign people in (unauthorized_client). Ask the operator to look at the client at the provider.',
  invalid_scope:
    'The identity provider does not know the scopes that it is asked for (invalid_scope). Ask the operator to look at ROLLKEY_IDP_SCOPES.',
}

/** What ties the end of a sign-in to its start; the page keeps it meanwhile. */
export interface SignInProof {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface WebClient {
  readonly issuer: string
  readonly clientId: string
  readonly scopes: string
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
}

interface WebSignInParts {
  readonly client: WebClient
  readonly tokens: ProviderTokens
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs?: number
}

/** An error that the provider gave as its answer. */
function isAnswer(error: unknown): error is client.ResponseBodyError | client.AuthorizationResponseError {
  return error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError
}

/** Whether there was no answer, or none in time. */
function isAway(error: unknown): boolean {
  const { code, name } = error as { code?: string; name?: string }
  return error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || name === 'NeighborSlow'
}

function away(): ApiError {
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

  constructor({ client: webClient, tokens, clock, log, timeoutMs = usualTimeoutMs }: WebSignInParts) {
    this.#client = webClient
    this.#tokens = tokens
    this.#log = log
    this.#timeoutMs = timeoutMs
    this.#breaker = new Breaker({ clock, slowMs: timeoutMs * slowShare, isAnswer })
  }

  /**
   * The address to send the browser to; `confirm`: the person proves again who they are, unless they did lately. Throws NOT_FOUND
   * if the provider has none, SERVICE_UNAVAILABLE if it is down.
   */
  async start(confirm: boolean): Promise<{ url: string } & SignInProof> {
    const provider = await this.#provider()
    const { authorization_endpoint: endpoint, response_modes_supported: modes } = provider.serverMetadata()
    if (endpoint === undefined || !isTrustworthyUrl(endpoint)) {
      throw new ApiError('NOT_FOUND', 'The identity provider publishes no sign-in page (authorization_endpoint).')
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
      // In a fragment the code reaches no server but this one's exchange.
      ...(modes?.includes('fragment') === true && { response_mode: 'fragment' }),
    })
    return { url: url.href, state, nonce, codeVerifier }
  }

  /**
   * The token that the service takes: one that says when the person proved who they are if there is one, and the access token
   * rather than the id token. Throws UNAUTHORIZED, which says why, if the provider refuses or no token counts, and
   * SERVICE_UNAVAILABLE if the provider is down.
   */
  async finish(callback: string, proof: SignInProof): Promise<{ token: string; expiresAtMs: number; name?: string }> {
    const granted = await this.#exchange(callback, proof)
    const ofAccessToken = await this.#examine(granted.access_token)
    const ofIdToken = await this.#examine(granted.id_token)
    const good = [ofAccessToken, ofIdToken].filter((found) => typeof found !== 'string')
    const { token } = good.find(({ authenticatedAtMs }) => authenticatedAtMs !== undefined) ?? good[0] ?? {}
    if (token === undefined) throw this.#refusal(ofAccessToken as Refusal, ofIdToken as Refusal)
    const name = granted.claims()?.['name']
    const expiresAtMs = (decodeJwt(token).exp ?? 0) * 1_000
    return { token, expiresAtMs, ...(typeof name === 'string' && { name }) }
  }

  /** The token if it counts, else why not. */
  async #examine(token: string | undefined): Promise<(ProviderIdentity & { readonly token: string }) | Refusal> {
    if (token === undefined) return 'unreadable'
    const found = await this.#tokens.examine(token)
    return typeof found === 'string' ? found : { ...found, token }
  }

  /** Speaks of the access token first, which the service would rather take; many providers issue one that only they can read. */
  #refusal(ofAccessToken: Refusal, ofIdToken: Refusal): ApiError {
    const first = ofAccessToken === 'unreadable' ? ofIdToken : ofAccessToken
    const more = first === ofIdToken ? '' : ` The ID token does not count either: it ${shortly[ofIdToken]}.`
    this.#log.warn('a sign-in at the identity provider gave no token that counts', {
      code: `access token: ${ofAccessToken}, id token: ${ofIdToken}`,
    })
    return new ApiError('UNAUTHORIZED', sentences[first] + more)
  }

  async #exchange(callback: string, { state, nonce, codeVerifier }: SignInProof) {
    const provider = await this.#provider()
    const url = new URL(`${this.#client.redirectUri}?${callback}`)
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce }
    try {
      return await this.#breaker.run(() => client.authorizationCodeGrant(provider, url, checks))
    } catch (error) {
      // The reason may quote the code.
      this.#log.warn('a sign-in at the identity provider failed', {
        code: (error as { code?: string }).code ?? 'unknown',
      })
      if (isAway(error)) throw away()
      const sentence = isAnswer(error) && Object.hasOwn(ofProvider, error.error) ? ofProvider[error.error] : undefined
      throw new ApiError('UNAUTHORIZED', sentence ?? 'The identity provider did not confirm the sign-in: start again.')
    }
  }

  async #provider(): Promise<client.Configuration> {
    if (this.#discovered) return this.#discovered
    // While one asks again, after a failure that made people wait, the others do not wait too.
    if (this.#breaker.isOpen) throw away()
    this.#discovering ??= this.#breaker.run(() => this.#discover()).finally(() => (this.#discovering = undefined))
    try {
      return (this.#discovered = await this.#discovering)
    } catch (error) {
      this.#log.warn('the identity provider cannot be asked how people sign in', { reason: reasonOf(error) })
      throw away()
    }
  }

  #discover(): Promise<client.Configuration> {
    const issuer = new URL(this.#client.issuer)
    return client.discovery(issuer, this.#client.clientId, undefined, client.None(), {
      timeout: this.#timeoutMs / 1_000,
      [client.customFetch]: boundedFetch(maxBytes) as client.CustomFetch,
      // Settings allow plain http for this very machine only.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    })
  }
}

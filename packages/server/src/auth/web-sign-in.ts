/**
 * Sign-in of the web application at an outside provider: authorization code with PKCE (OpenID Connect Core 1.0, section
 * 3.1; RFC 7636). The service keeps nothing between start and end: the page holds the proof, and the exchange is done
 * here, so that the page talks to no other host and the provider needs no CORS.
 */
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { Fault } from '../base/fault.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { isTrustworthyUrl } from './jwks.ts'
import type { ProviderTokens } from './provider-tokens.ts'

const timeoutSec = 5

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

export class WebSignIn {
  readonly #client: WebClient
  readonly #tokens: ProviderTokens
  readonly #log: Log
  #discovered: Promise<client.Configuration> | undefined

  constructor(webClient: WebClient, tokens: ProviderTokens, log: Log) {
    this.#client = webClient
    this.#tokens = tokens
    this.#log = log
  }

  /** The address to send the browser to. Throws NOT_FOUND if the provider has none, SERVICE_UNAVAILABLE if it is down. */
  async start(): Promise<{ url: string } & SignInProof> {
    const provider = await this.#provider()
    const { authorization_endpoint: endpoint, response_modes_supported: modes } = provider.serverMetadata()
    if (endpoint === undefined || !isTrustworthyUrl(endpoint)) {
      throw new Fault('NOT_FOUND', 'The identity provider publishes no sign-in page (authorization_endpoint).')
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
      // In a fragment the code reaches no server but this one's exchange.
      ...(modes?.includes('fragment') === true && { response_mode: 'fragment' }),
    })
    return { url: url.href, state, nonce, codeVerifier }
  }

  /**
   * The token that the service takes: the access token if it is one, else the id token. Throws UNAUTHORIZED if the
   * provider refuses or no token has an organization.
   */
  async finish(callback: string, proof: SignInProof): Promise<{ token: string; expiresAtMs: number; name?: string }> {
    const granted = await this.#exchange(callback, proof)
    for (const token of [granted.access_token, granted.id_token]) {
      if (token === undefined || !(await this.#tokens.verify(token))) continue
      const name = granted.claims()?.['name']
      const expiresAtMs = (decodeJwt(token).exp ?? 0) * 1_000
      return { token, expiresAtMs, ...(typeof name === 'string' && { name }) }
    }
    throw new Fault(
      'UNAUTHORIZED',
      'You are signed in, but the identity provider names no active organization: choose one there, then try again.',
    )
  }

  async #exchange(callback: string, { state, nonce, codeVerifier }: SignInProof) {
    const provider = await this.#provider()
    try {
      return await client.authorizationCodeGrant(provider, new URL(`${this.#client.redirectUri}?${callback}`), {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
      })
    } catch (error) {
      // The reason may quote the code.
      this.#log.warn('a sign-in at the identity provider failed', {
        code: (error as { code?: string }).code ?? 'unknown',
      })
      throw new Fault('UNAUTHORIZED', 'The identity provider did not confirm the sign-in: start again.')
    }
  }

  #provider(): Promise<client.Configuration> {
    this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = undefined
      this.#log.warn('the identity provider cannot be asked how people sign in', { reason: reasonOf(error) })
      throw new Fault('SERVICE_UNAVAILABLE', 'The identity provider cannot be reached at the moment: try again.')
    })
    return this.#discovered
  }

  #discover(): Promise<client.Configuration> {
    const issuer = new URL(this.#client.issuer)
    return client.discovery(issuer, this.#client.clientId, undefined, client.None(), {
      timeout: timeoutSec,
      // Settings allow plain http for this very machine only.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    })
  }
}

/**
 * Signs people in at one company provider: discovery, and the authorization code flow with PKCE, state and nonce (OpenID Connect
 * Core 1.0, section 3.1; RFC 7636; RFC 9207). The ID token's signature is checked too, with asymmetric algorithms only.
 */
import * as client from 'openid-client'
import { claimAt, type Claims } from '../../auth/claims.ts'
import type { Clock } from '../../base/clock.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import { boundedFetch } from '../../upstream/bounded-body.ts'
import { Breaker, UpstreamUnavailable } from '../../upstream/breaker.ts'
import { isTrustworthyUrl } from '../../upstream/trustworthy-url.ts'
import { CompanySignInError } from './failure.ts'
import { confirmationRequest } from './issuers.ts'
import type { CompanyProvider } from './settings.ts'

const timeoutMs = 5_000
const slowMs = 1_000
const maxBytes = 256 * 1024
/** How long the provider's metadata is used before it is fetched again. */
const metadataLifetimeMs = 10 * 60_000
/** How long the answer that a provider is reachable is used. */
const reachableForMs = 30_000

/** Values that bind the end of a sign-in to its start. */
export interface CompanyProof {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** Why a provider refuses a client: its token endpoint is away, or does not know the client or its redirect URL. */
export type ClientRefusal = 'unavailable' | 'client' | 'redirect'

/** The codes of RFC 6749, section 5.2, and Google's for the redirect URL. Every other one says that the client is known. */
const refusalCodes: Readonly<Record<string, ClientRefusal>> = {
  invalid_client: 'client',
  unauthorized_client: 'client',
  redirect_uri_mismatch: 'redirect',
}

interface CompanyClientParts {
  readonly provider: CompanyProvider
  readonly publicUrl: string
  readonly clock: Clock
  readonly log: Log
}

function isAnswer(error: unknown): error is client.ResponseBodyError | client.AuthorizationResponseError {
  return error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError
}

/** Uses the method that the provider supports: in the header unless it supports only the body (RFC 6749, section 2.3.1). */
function authenticationOf(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods } = server
    return (methods?.includes('client_secret_basic') ?? true) ? basic(server, ...request) : post(server, ...request)
  }
}

export class CompanyClient {
  readonly provider: CompanyProvider
  /** The address to which the provider sends the browser back. */
  readonly redirectUri: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #breaker: Breaker
  #discovered: { readonly configuration: client.Configuration; readonly atMs: number } | undefined
  #discovering: Promise<client.Configuration> | undefined

  constructor({ provider, publicUrl, clock, log }: CompanyClientParts) {
    this.provider = provider
    this.redirectUri = `${publicUrl}/identity/company/callback/${provider.name}`
    this.#clock = clock
    this.#log = log
    this.#breaker = new Breaker({ clock, slowMs, isAnswer })
  }

  /** Returns the URL to which to send the browser. With `confirm`, the provider asks for credentials again. */
  async start(confirm: boolean): Promise<{ readonly url: string; readonly proof: CompanyProof }> {
    const configuration = await this.#configuration(metadataLifetimeMs)
    const { authorization_endpoint: endpoint } = configuration.serverMetadata()
    if (endpoint === undefined || !isTrustworthyUrl(endpoint)) throw new CompanySignInError('unavailable')
    const codeVerifier = client.randomPKCECodeVerifier()
    const proof = { state: client.randomState(), nonce: client.randomNonce(), codeVerifier }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.provider.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state: proof.state,
      nonce: proof.nonce,
      ...(confirm && confirmationRequest(this.provider)),
    })
    return { url: url.href, proof }
  }

  /** Returns the claims of the person. `query`: that with which the provider sent the browser back. */
  async finish(query: string, { state, nonce, codeVerifier }: CompanyProof): Promise<Claims> {
    const configuration = await this.#configuration(metadataLifetimeMs)
    const url = new URL(`${this.redirectUri}${query}`)
    const checks = {
      pkceCodeVerifier: codeVerifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    }
    try {
      return await this.#breaker.run(async () => {
        const tokens = await client.authorizationCodeGrant(configuration, url, checks)
        return this.#complete(configuration, tokens.access_token, tokens.claims() as Claims & { sub: string })
      })
    } catch (error) {
      throw this.#failureOf(error)
    }
  }

  /** Adds what an ID token without an address or groups leaves to the userinfo endpoint. */
  async #complete(configuration: client.Configuration, accessToken: string, claims: Claims & { sub: string }) {
    const { groupsClaim } = this.provider
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
    const hasGroups = groupsClaim === undefined || claimAt(claims, groupsClaim) !== undefined
    if (!hasMore || (claims['email'] !== undefined && hasGroups)) return claims
    // The ID token's own claims win: only they are signed.
    return { ...(await client.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims }
  }

  #failureOf(error: unknown): CompanySignInError {
    // The error's message may quote the code, so the log gets only the error's code.
    const { code = 'unknown' } = error as { code?: string }
    this.#log.warn('company sign-in failed', { provider: this.provider.name, code })
    if (isAnswer(error)) return new CompanySignInError(error.error === 'access_denied' ? 'denied' : 'refused')
    const isCut = error instanceof TypeError || error instanceof UpstreamUnavailable
    const hasNoAnswer = isCut || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT'
    return new CompanySignInError(hasNoAnswer ? 'unavailable' : 'refused')
  }

  async isReachable(): Promise<boolean> {
    return this.#configuration(reachableForMs).then(
      () => true,
      () => false,
    )
  }

  /** Returns why the provider refuses this client; undefined if it does not. Asks it to redeem a code that does not exist. */
  async refusal(): Promise<ClientRefusal | undefined> {
    const configuration = await this.#configuration(metadataLifetimeMs)
    const code_verifier = client.randomPKCECodeVerifier()
    const parameters = { code: 'none', redirect_uri: this.redirectUri, code_verifier }
    try {
      await client.genericGrantRequest(configuration, 'authorization_code', parameters)
      return undefined
    } catch (error) {
      // A provider that challenges the client in a header may give no code.
      if (error instanceof client.WWWAuthenticateChallengeError) return 'client'
      return isAnswer(error) ? refusalCodes[error.error] : 'unavailable'
    }
  }

  async #configuration(maxAgeMs: number): Promise<client.Configuration> {
    const { configuration, atMs = 0 } = this.#discovered ?? {}
    if (configuration && this.#clock.now() - atMs < maxAgeMs) return configuration
    // After a slow failure only one request retries discovery. The others fail at once instead of waiting.
    if (this.#breaker.isOpen) throw new CompanySignInError('unavailable')
    this.#discovering ??= this.#breaker.run(() => this.#discover()).finally(() => (this.#discovering = undefined))
    try {
      const found = await this.#discovering
      this.#discovered = { configuration: found, atMs: this.#clock.now() }
      return found
    } catch (error) {
      this.#log.warn('discovery for company sign-in failed', { provider: this.provider.name, reason: reasonOf(error) })
      throw new CompanySignInError('unavailable')
    }
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.provider
    const isPlain = new URL(issuer).protocol === 'http:'
    return client.discovery(new URL(issuer), clientId, undefined, authenticationOf(clientSecret), {
      timeout: timeoutMs / 1_000,
      [client.customFetch]: boundedFetch(maxBytes) as client.CustomFetch,
      // The settings allow plain http only for a loopback address.
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    })
  }
}

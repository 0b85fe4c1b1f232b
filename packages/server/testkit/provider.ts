/**
 * An outside OpenID provider: oidc-provider, whose signing key the kit holds, so that tests can sign good and bad tokens
 * of it, and beside it the membership address that ROLLKEY_IDP_MEMBERSHIP_URL points at.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { Provider } from 'oidc-provider'
import type { TestClock } from './clock.ts'

const kid = 'test-key'

export interface TestUser {
  readonly userId: string
  readonly orgId: string
  readonly orgSlug: string
}

export class TestProvider {
  readonly #server: Server
  readonly #clock: TestClock
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
  readonly #removed = new Set<string>()
  /** While true, every request is answered 503. */
  isDown = false
  keyFetches = 0
  membershipQuestions = 0

  private constructor(server: Server, clock: TestClock, privateKey: CryptoKey, publicJwk: JWK) {
    this.#server = server
    this.#clock = clock
    this.privateKey = privateKey
    this.publicJwk = publicJwk
  }

  static async start(clock: TestClock): Promise<TestProvider> {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    const named = { kid, alg: 'RS256', use: 'sig' }
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const provider = new TestProvider(server, clock, privateKey, { ...(await exportJWK(publicKey)), ...named })
    const oidc = oidcProvider(provider.issuer, { ...(await exportJWK(privateKey)), ...named })
    const answer = oidc.callback()
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!provider.#intercept(request, response)) void answer(request, response)
    })
    return provider
  }

  #intercept({ url = '' }: IncomingMessage, response: ServerResponse): boolean {
    if (url === '/jwks') this.keyFetches++
    if (this.isDown) response.writeHead(503).end()
    else if (url.startsWith('/members/')) {
      this.membershipQuestions++
      const [orgId, userId] = url.split('/').slice(2).map(decodeURIComponent)
      response.writeHead(this.#removed.has(memberKey(orgId, userId)) ? 404 : 200, {
        'content-type': 'application/json',
      })
      response.end('{"role":"member"}')
    } else return false
    return true
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get membershipUrl(): string {
    return `${this.issuer}/members/{orgId}/{userId}`
  }

  remove({ orgId, userId }: TestUser): void {
    this.#removed.add(memberKey(orgId, userId))
  }

  restore({ orgId, userId }: TestUser): void {
    this.#removed.delete(memberKey(orgId, userId))
  }

  /** The claims of a valid token of the user, 60 seconds long. */
  claimsOf({ userId, orgId, orgSlug }: TestUser): JWTPayload {
    const now = Math.floor(this.#clock.now() / 1_000)
    return { iss: this.issuer, sub: userId, org_id: orgId, org_slug: orgSlug, iat: now, nbf: now - 5, exp: now + 60 }
  }

  /** A token with exactly these claims, signed by the provider's key unless told. */
  sign(claims: JWTPayload, header: object = {}, key: CryptoKey = this.privateKey): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT', ...header }).sign(key)
  }

  tokenOf(user: TestUser): Promise<string> {
    return this.sign(this.claimsOf(user))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function memberKey(orgId = '', userId = ''): string {
  return JSON.stringify([orgId, userId])
}

/** Machines get JWT access tokens with the organization in them (RFC 9068), by the client credentials grant. */
function oidcProvider(issuer: string, key: JWK): Provider {
  const resource = 'urn:rollkey:test'
  return new Provider(issuer, {
    jwks: { keys: [key] as never },
    clients: [
      {
        client_id: 'machine',
        client_secret: 'machine-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    extraTokenClaims: () => ({ org_id: 'org-of-machine', org_slug: 'machines' }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 60,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
}

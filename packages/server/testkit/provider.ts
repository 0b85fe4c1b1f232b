/**
 * An external OpenID provider: oidc-provider with a signing key that the test kit knows, so that tests can sign valid and
 * invalid tokens; its sign-in pages; and the membership endpoint for ROLLKEY_IDP_MEMBERSHIP_URL.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { Provider, type ClientMetadata, type Configuration } from 'oidc-provider'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { TestClock } from './clock.ts'
import { interact } from './oidc-sign-in.ts'
import { makeTrouble, type PeerFailure } from './slow-peer.ts'

const kid = 'test-key'

/** Client id for ROLLKEY_IDP_CLIENT_ID. It redirects to /auth/callback on any port of 127.0.0.1 or localhost. */
export const webClientId = 'rollkey-web'

export interface TestUser {
  readonly userId: string
  readonly orgId: string
  readonly orgSlug: string
}

/** As long as a test may take, so that no token expires because a machine is slow. */
export const tokenSec = 600

interface TestPerson extends TestUser {
  readonly name: string
}

/** People who can sign in, by user id. */
type People = Map<string, TestPerson>

interface Keys {
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

const named = { kid, alg: 'RS256', use: 'sig' }
/** The keys of all providers of this process: making them would take half of the time that a service needs to start. */
let keysOfAll: Promise<Keys> | undefined

async function newKeys(): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), ...named } }
}

export class TestProvider {
  readonly clock: TestClock
  readonly #server = createServer()
  #keys: Keys | undefined
  readonly #people: People = new Map()
  readonly #removed = new Set<string>()
  readonly #roles = new Map<string, string>()
  readonly #groups = new Map<string, readonly string[]>()
  /** Whether every request is answered 503. */
  isDown = false
  /** Failure modes by the prefix of the request path. */
  readonly troubles = new Map<string, PeerFailure>()
  keyFetches = 0
  membershipQuestions = 0
  /** How long the access token of a person who signs in is valid. */
  personTokenSec = 300

  constructor(clock = new TestClock()) {
    this.clock = clock
  }

  async start(): Promise<void> {
    this.#keys = await (keysOfAll ??= newKeys())
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const oidc = new Provider(this.issuer, {
      ...configuration(this.#people, this.clock, () => this.personTokenSec),
      jwks: { keys: [{ ...(await exportJWK(this.#keys.privateKey)), ...named }] as never },
    })
    const answer = oidc.callback()
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (this.#intercept(request, response)) return
      if (request.url?.startsWith('/interaction/')) void interact(oidc, this.#people, request, response)
      else void answer(request, response)
    })
  }

  get keys(): Keys {
    if (!this.#keys) throw new Error('The provider has not started: use it in a test or a hook.')
    return this.#keys
  }

  #intercept({ url = '' }: IncomingMessage, response: ServerResponse): boolean {
    if (url === '/jwks') this.keyFetches++
    const [, trouble] = [...this.troubles].find(([path]) => url.startsWith(path)) ?? []
    if (this.isDown) response.writeHead(503).end()
    else if (trouble) makeTrouble(response, trouble)
    else if (url.startsWith('/members/')) {
      this.membershipQuestions++
      const [orgId, userId] = url.split('/').slice(2).map(decodeURIComponent)
      response.writeHead(this.#removed.has(memberKey(orgId, userId)) ? 404 : 200, {
        'content-type': 'application/json',
      })
      const key = memberKey(orgId, userId)
      response.end(JSON.stringify({ role: this.#roles.get(key) ?? 'member', groups: this.#groups.get(key) }))
    } else return false
    return true
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Settings of a service that trusts this provider, without the prefix ROLLKEY_. */
  get settings() {
    return { IDP_ISSUER: this.issuer, IDP_MEMBERSHIP_URL: `${this.issuer}/members/{orgId}/{userId}` }
  }

  /** Adds a person who can sign in, by user id. Adding the person again changes the organization or name. */
  addPerson(user: TestUser, name = user.userId): void {
    this.#people.set(user.userId, { ...user, name })
  }

  remove({ orgId, userId }: TestUser): void {
    this.#removed.add(memberKey(orgId, userId))
  }

  restore({ orgId, userId }: TestUser): void {
    this.#removed.delete(memberKey(orgId, userId))
  }

  /** Sets what the membership endpoint reports for a user. It reports all other users as members. */
  setRole({ orgId, userId }: TestUser, role: string): void {
    this.#roles.set(memberKey(orgId, userId), role)
  }

  /** Sets the groups that the membership endpoint reports for a user. It reports none of other users. */
  setGroups({ orgId, userId }: TestUser, groups: readonly string[]): void {
    this.#groups.set(memberKey(orgId, userId), groups)
  }

  /** Returns the claims of a valid token of the user. */
  claimsOf({ userId, orgId, orgSlug }: TestUser): JWTPayload {
    const now = Math.floor(this.clock.now() / 1_000)
    const times = { iat: now, nbf: now - 5, exp: now + tokenSec }
    return { iss: this.issuer, sub: userId, org_id: orgId, org_slug: orgSlug, azp: webClientId, ...times }
  }

  /** Returns a token with exactly these claims, signed by the provider's key by default. */
  sign(claims: JWTPayload, header: object = {}, key: CryptoKey = this.keys.privateKey): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT', ...header }).sign(key)
  }

  tokenOf(user: TestUser): Promise<string> {
    return this.sign(this.claimsOf(user))
  }

  /** Returns a token of a user who proved who they are this long ago. */
  confirmedTokenOf(user: TestUser, agoMs = 0): Promise<string> {
    const authTime = Math.floor((this.clock.now() - agoMs) / 1_000)
    return this.sign({ ...this.claimsOf(user), auth_time: authTime })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Returns a provider that runs during all tests of the file or the `describe` block. */
export function useProvider(clock?: TestClock): TestProvider {
  const provider = new TestProvider(clock)
  beforeAll(() => provider.start())
  afterAll(() => provider.close())
  return provider
}

/** Starts a provider that runs until the end of the current test. */
export async function startProvider(clock?: TestClock): Promise<TestProvider> {
  const provider = new TestProvider(clock)
  await provider.start()
  onTestFinished(() => provider.close())
  return provider
}

function memberKey(orgId = '', userId = ''): string {
  return JSON.stringify([orgId, userId])
}

const resource = 'urn:rollkey:test'

const clients: ClientMetadata[] = [
  {
    client_id: 'machine',
    client_secret: 'machine-secret',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  },
  {
    client_id: webClientId,
    // A native application may use any port (RFC 8252, section 7.3). The service of each test has a new port.
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: ['http://127.0.0.1/auth/callback', 'http://localhost/auth/callback'],
  },
]

/** Issues access tokens as JWTs with the organization (RFC 9068), with times from the test's clock. */
function configuration(people: People, clock: TestClock, personTokenSec: () => number): Configuration {
  return {
    clients,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], profile: ['name'] },
    // The id token contains the name, so that no other request is needed.
    conformIdTokenClaims: false,
    findAccount: (_, accountId) => {
      const name = people.get(accountId)?.name
      return name === undefined ? undefined : { accountId, claims: () => ({ sub: accountId, name }) }
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: personTokenSec,
      ClientCredentials: 60,
      Grant: 3_600,
      IdToken: 300,
      Interaction: 600,
      Session: 3_600,
    },
    extraTokenClaims: (_, token) => {
      if (!('accountId' in token)) return { org_id: 'org-of-machine', org_slug: 'machines' }
      const person = people.get(token.accountId)
      return person && { org_id: person.orgId, org_slug: person.orgSlug }
    },
    formats: {
      customizers: {
        jwt: (_, __, { payload }) => {
          const aheadSec = Math.round((clock.now() - Date.now()) / 1_000)
          for (const claim of ['iat', 'exp'] as const) payload[claim] = Number(payload[claim]) + aheadSec
        },
      },
    },
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
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  }
}

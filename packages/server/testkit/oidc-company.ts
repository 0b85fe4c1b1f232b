/**
 * A company's provider with a real sign-in page: oidc-provider, in the shape of a well-known one. `google` has `hd`, ignores
 * `max_age` and does not say when it asked for credentials. `entra` has tenants (`tid`) and groups, and no verified addresses.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider, type Configuration } from 'oidc-provider'
import { afterAll, beforeAll } from 'vitest'
import { interact } from './oidc-sign-in.ts'
import { makeTrouble, type PeerFailure } from './slow-peer.ts'

type Shape = 'google' | 'entra'

const clientId = 'rollkey'
const clientSecret = 'company-secret'

/** Claims of the people who can sign in, by subject. A test changes them as the provider's administrator would. */
type Accounts = Map<string, Readonly<Record<string, unknown>>>

function configuration(name: string, accounts: Accounts): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        // A native application may use any port (RFC 8252, section 7.3). The service of each test has a new port.
        application_type: 'native',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [`http://localhost/identity/company/callback/${name}`],
      },
    ],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: {
      openid: ['sub', 'hd', 'tid', 'groups'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    findAccount: (_, accountId) => {
      const claims = accounts.get(accountId)
      return claims && { accountId, claims: () => ({ sub: accountId, ...claims }) }
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: 60, Grant: 3_600, IdToken: 300, Interaction: 600, Session: 3_600 },
    features: { devInteractions: { enabled: false } },
  }
}

/** Removes what Google ignores from the request for a sign-in. */
function asGoogleReads(request: IncomingMessage): void {
  const url = new URL(request.url ?? '/', 'http://localhost')
  for (const parameter of ['prompt', 'max_age']) url.searchParams.delete(parameter)
  request.url = url.pathname + url.search
}

export class OidcCompany {
  readonly name: string
  readonly accounts: Accounts = new Map()
  /** Failure of every request. */
  trouble: PeerFailure | undefined
  readonly #shape: Shape
  readonly #server = createServer()

  /** `name`: that in ROLLKEY_SIGN_IN. */
  constructor(name: string, shape: Shape) {
    this.name = name
    this.#shape = shape
  }

  async start(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const jwk = { ...(await exportJWK(privateKey)), kid: 'key', alg: 'RS256', use: 'sig' }
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const oidc = new Provider(this.issuer, {
      ...configuration(this.name, this.accounts),
      jwks: { keys: [jwk] as never },
    })
    const answer = oidc.callback()
    this.#server.on('request', (request, response) => {
      if (this.trouble) return makeTrouble(response, this.trouble)
      if (request.url?.startsWith('/interaction/')) return void interact(oidc, this.accounts, request, response)
      if (this.#shape === 'google' && request.url?.startsWith('/auth?')) asGoogleReads(request)
      void answer(request, response)
    })
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Settings of a service at which people of this company sign in, named without ROLLKEY_. */
  get settings(): Record<string, string> {
    const prefix = `SIGN_IN_${this.name.toUpperCase()}`
    return {
      [`${prefix}_ISSUER`]: this.issuer,
      [`${prefix}_CLIENT_ID`]: clientId,
      [`${prefix}_CLIENT_SECRET`]: clientSecret,
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Returns a company's provider that runs during all tests of the file. */
export function useOidcCompany(name: string, shape: Shape): OidcCompany {
  const company = new OidcCompany(name, shape)
  beforeAll(() => company.start())
  afterAll(() => company.close())
  return company
}

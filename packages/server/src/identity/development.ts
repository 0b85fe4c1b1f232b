/**
 * A small OpenID provider for trying the service on one machine, until a real one is set by ROLLKEY_IDP_ISSUER. It signs
 * whoever asks in as whoever they like, so it answers only requests that were sent on this very machine: from a loopback
 * address, to a loopback name, by no browser page and through no proxy. Its tokens are checked like anybody's: by
 * discovery and JWKS.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from 'jose'

const algorithm = 'ES256'
const lifetimeSec = 60
const base = '/development'
const name = /^[a-z0-9][a-z0-9-]{0,38}$/

/** The user and the organization that the printed commands use. */
export const demonstration = { user: 'ada', org: 'demo' }

interface SigningKey {
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

async function signingKey(path: string): Promise<SigningKey> {
  if (!existsSync(path)) {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
    writeFileSync(path, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600, flag: 'wx' })
  }
  const jwk = JSON.parse(readFileSync(path, 'utf8')) as JWK
  const { d: _, ...publicJwk } = jwk
  return {
    privateKey: (await importJWK(jwk, algorithm)) as CryptoKey,
    publicJwk: { ...publicJwk, alg: algorithm, use: 'sig', kid: 'development' },
  }
}

function isLocal({ socket, headers }: IncomingMessage): boolean {
  const peer = socket.remoteAddress ?? ''
  const host = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? ''
  return (
    ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(peer) &&
    ['127.0.0.1', 'localhost', '[::1]'].includes(host) &&
    ['origin', 'forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].every((header) => headers[header] === undefined)
  )
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

type Page = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

export class DevelopmentProvider {
  readonly #key: SigningKey
  readonly #origin: () => string

  private constructor(key: SigningKey, origin: () => string) {
    this.#key = key
    this.#origin = origin
  }

  /** `origin`: where the service is reached on this machine, such as http://127.0.0.1:8787. */
  static async open(keyPath: string, origin: () => string): Promise<DevelopmentProvider> {
    return new DevelopmentProvider(await signingKey(keyPath), origin)
  }

  get issuer(): string {
    return this.#origin() + base
  }

  get pages(): Record<string, Page> {
    const local =
      (page: Page): Page =>
      (request, response) =>
        isLocal(request)
          ? page(request, response)
          : sendJson(response, 403, { error: 'The development provider answers only commands on its own machine.' })
    return {
      [`${base}/.well-known/openid-configuration`]: local((_, response) =>
        sendJson(response, 200, { issuer: this.issuer, jwks_uri: `${this.issuer}/jwks` }),
      ),
      [`${base}/jwks`]: local((_, response) => sendJson(response, 200, { keys: [this.#key.publicJwk] })),
      [`${base}/token`]: local((request, response) => this.#token(request, response)),
    }
  }

  /** GET /development/token?user=ada&org=demo: the token as plain text, for `$(curl …)`. */
  async #token({ url }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams } = new URL(url ?? '', this.#origin())
    const user = searchParams.get('user') ?? demonstration.user
    const org = searchParams.get('org') ?? demonstration.org
    if (!name.test(user) || !name.test(org)) {
      sendJson(response, 400, { error: 'user and org must be 1 to 39 lower-case letters, digits or dashes.' })
      return
    }
    const token = await new SignJWT({ org_id: `development-${org}`, org_slug: org })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: 'development' })
      .setIssuer(this.issuer)
      .setSubject(user)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSec}s`)
      .sign(this.#key.privateKey)
    response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(token)
  }
}

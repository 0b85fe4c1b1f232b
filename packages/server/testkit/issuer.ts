/** A platform that signs tokens for its workloads, with discovery and keys as the platforms publish them. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import type { TestClock } from './clock.ts'
import { tokenSec } from './provider.ts'

export interface IssuerKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export async function newIssuerKey(kid = 'key-1', alg = 'RS256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Returns a token that a key has signed. */
export function signed({ privateKey, alg, kid }: IssuerKey, claims: Record<string, unknown>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey)
}

/** Returns a token of a workload, signed now. */
export function workloadToken(
  key: IssuerKey,
  clock: Pick<TestClock, 'now'>,
  claims: { readonly iss: string; readonly aud: string; readonly sub: string },
): Promise<string> {
  const seconds = Math.floor(clock.now() / 1_000)
  return signed(key, { iat: seconds, exp: seconds + tokenSec, ...claims })
}

export class TestIssuer {
  readonly #server = createServer()
  readonly #clock: TestClock
  #key: IssuerKey | undefined
  /** What the keys are answered with, instead of themselves. */
  trouble: ((response: ServerResponse) => void) | undefined
  keyFetches = 0

  constructor(clock: TestClock) {
    this.#clock = clock
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get key(): IssuerKey {
    if (!this.#key) throw new Error('The issuer has not started: use it in a test or a hook.')
    return this.#key
  }

  async start(): Promise<void> {
    this.#key = await newIssuerKey()
    this.#server.on('request', ({ url = '' }, response) => {
      if (this.trouble) this.trouble(response)
      else if (url === '/.well-known/openid-configuration')
        response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/jwks` }))
      else if (url === '/jwks') {
        this.keyFetches++
        response.end(JSON.stringify({ keys: [this.key.publicJwk] }))
      } else response.writeHead(404).end()
    })
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Replaces the key that signs. */
  async rotate(kid = 'key-2'): Promise<void> {
    this.#key = await newIssuerKey(kid)
  }

  /** Returns claims that are valid now. */
  claims(more: object = {}, audience = ''): JWTPayload {
    const now = Math.floor(this.#clock.now() / 1_000)
    return { iss: this.url, aud: audience, sub: 'workload', iat: now, nbf: now - 5, exp: now + tokenSec, ...more }
  }

  /** Signs claims as they are. */
  sign(claims: JWTPayload, header: object = {}, key: CryptoKey = this.key.privateKey): Promise<string> {
    const { kid, alg } = this.key
    return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(key)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

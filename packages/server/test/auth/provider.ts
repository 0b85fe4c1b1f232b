/** A fake external provider. A test controls all of its answers: metadata, keys and tokens. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { tokenSec } from '../../testkit/provider.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { SlowPeer } from '../../testkit/slow-peer.ts'

interface SigningKey {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** Creates a key. All keys have the same id. */
export async function newKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: 'the-key', alg: 'ES256' } }
}

export class FakeProvider {
  readonly peer: SlowPeer
  readonly #clock: TestClock
  key: SigningKey
  keyFetches = 0
  /** Overrides of answers, by path. */
  readonly answers = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>()

  private constructor(peer: SlowPeer, clock: TestClock, key: SigningKey) {
    this.peer = peer
    this.#clock = clock
    this.key = key
    this.work()
  }

  static async start(clock: TestClock): Promise<FakeProvider> {
    return new FakeProvider(await SlowPeer.start('hangs'), clock, await newKey())
  }

  get issuer(): string {
    return this.peer.url
  }

  /** Ends all failures of the peer and serves requests again. */
  work(): void {
    this.peer.answer = (response, request) => this.#serve(response, request)
  }

  #serve(response: ServerResponse, request: IncomingMessage): void {
    const path = request.url ?? ''
    if (path === '/jwks') this.keyFetches++
    const answer = this.answers.get(path)
    if (answer) return answer(response, request)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(path === '/jwks' ? { keys: [this.key.jwk] } : this.#metadata))
  }

  get #metadata(): object {
    const at = (path: string): string => `${this.issuer}/${path}`
    return {
      issuer: this.issuer,
      jwks_uri: at('jwks'),
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      id_token_signing_alg_values_supported: ['ES256'],
    }
  }

  /** Returns the claims of an access token of a user with an organization. */
  claims(more: JWTPayload = {}): JWTPayload {
    const nowSec = Math.floor(this.#clock.now() / 1_000)
    const times = { iat: nowSec, exp: nowSec + tokenSec }
    return { iss: this.issuer, sub: 'ada', org_id: 'id', org_slug: 'acme', azp: 'rollkey', ...times, ...more }
  }

  sign(more: JWTPayload = {}, { privateKey } = this.key, header: object = {}): Promise<string> {
    return new SignJWT(this.claims(more))
      .setProtectedHeader({ alg: 'ES256', kid: 'the-key', ...header })
      .sign(privateKey)
  }
}

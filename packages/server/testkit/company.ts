/** A company's OpenID provider whose every answer a test controls, and the browser of a person who signs in there. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'
import { tokenSec } from './provider.ts'
import { afterAll, beforeAll, vi } from 'vitest'
import type { Answer } from './client.ts'
import type { Person } from './person.ts'
import { makeTrouble, type PeerFailure } from './slow-peer.ts'

interface Begun {
  readonly challenge: string
  readonly idToken: string
}

interface CompanyPlace {
  /** Issuer setting of a provider outside the network of the tests, whose requests are led here. */
  readonly at: string
  /** The issuer in its metadata, if that is another one. @default `at` */
  readonly issuer?: string
}

export class Company {
  readonly #place: CompanyPlace | undefined
  readonly #server = createServer()
  readonly #codes = new Map<string, Begun>()
  #privateKey: CryptoKey | undefined
  #jwk: object = {}
  /** Failure of every request. */
  trouble: PeerFailure | undefined
  /** Claims that only the userinfo endpoint has. Undefined: there is no such endpoint. */
  userinfo: object | undefined

  constructor(place?: CompanyPlace) {
    this.#place = place
  }

  async start(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    this.#privateKey = privateKey
    this.#jwk = { ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }
    this.#server.on('request', (request, response) => void this.#answer(request, response))
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const { at } = this.#place ?? {}
    if (at === undefined) return
    const direct = fetch
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
      const isHere = typeof input === 'string' && input.startsWith(at)
      return direct(isHere ? `${this.#url}${input.slice(at.length)}` : input, init)
    })
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What the service has as the issuer in its settings. */
  get address(): string {
    return this.#place?.at ?? this.#url
  }

  /** The issuer in the metadata. */
  get issuer(): string {
    return this.#place?.issuer ?? this.address
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.trouble) return makeTrouble(response, this.trouble)
    const send = (body: object, status = 200): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/.well-known/openid-configuration') return void send(this.#metadata)
    if (request.url === '/jwks') return void send({ keys: [this.#jwk] })
    if (request.url === '/userinfo') return void send(this.userinfo ?? {})
    const form = new URLSearchParams(await text(request))
    const begun = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isProven =
      request.headers.authorization === `Basic ${btoa('rollkey:secret')}` && begun?.challenge === challenge
    if (!isProven) return void send({ error: 'invalid_grant' }, 400)
    send({ access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token: begun.idToken })
  }

  get #metadata(): object {
    const at = (path: string): string => `${this.address}/${path}`
    return {
      issuer: this.issuer,
      jwks_uri: at('jwks'),
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: this.#place === undefined,
      ...(this.userinfo && { userinfo_endpoint: at('userinfo') }),
    }
  }

  /** Signs a person in who was sent to `url`. Returns the query with which the browser comes back. */
  async admit(url: string, claims: JWTPayload, key = this.#privateKey, alg = 'RS256'): Promise<string> {
    const query = new URL(url).searchParams
    const nowSec = Math.floor(Date.now() / 1_000)
    const all = {
      iss: this.issuer,
      aud: 'rollkey',
      iat: nowSec,
      exp: nowSec + tokenSec,
      nonce: query.get('nonce'),
      ...claims,
    }
    const idToken = await new SignJWT(all).setProtectedHeader({ alg, kid: 'key' }).sign(key as CryptoKey)
    const code = randomBytes(8).toString('hex')
    this.#codes.set(code, { challenge: query.get('code_challenge') ?? '', idToken })
    const state = query.get('state') ?? ''
    return new URLSearchParams({ code, state, ...(!this.#place && { iss: this.issuer }) }).toString()
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
    if (this.#place) vi.unstubAllGlobals()
  }
}

/** Returns a company's provider that runs during all tests of the file. */
export function useCompany(place?: CompanyPlace): Company {
  const company = new Company(place)
  beforeAll(() => company.start())
  afterAll(() => company.close())
  return company
}

/** Begins a sign-in in the person's browser. Returns the address to which the browser is sent. */
export async function begin(person: Person, provider: string, more: object = {}): Promise<string> {
  person.changeAddress()
  return (await person.must('/company/sign-in', { provider, ...more })).url as string
}

/** Signs in at a provider. Returns the answer to the browser that comes back. */
export async function signInAt(
  person: Person,
  company: Company,
  name: string,
  claims: JWTPayload,
  more: object = {},
): Promise<Answer> {
  const url = await begin(person, name, more)
  return comeBack(person, name, await company.admit(url, claims))
}

/** Comes back from the provider. */
export function comeBack(person: Person, provider: string, query: string): Promise<Answer> {
  return person.get(`/company/callback/${provider}?${query}`)
}

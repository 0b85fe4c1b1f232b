/** A client of the wire protocol without any other logic. */
import { endpoints, type EndpointName } from '@rollkey/contract'
import type { TestUser } from './provider.ts'
import { assertPublished } from './published.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, or {} if it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of any shape
  readonly body: any
}

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly accessTokenExpiresAtMs: number
  readonly refreshTokenExpiresAtMs: number
}

/** Options of a call besides the body. */
export interface Extras {
  readonly token?: string
  readonly headers?: Record<string, string>
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  let body: unknown = {}
  try {
    body = JSON.parse(text)
  } catch {}
  return { status: response.status, headers: response.headers, text, body }
}

interface Issuer {
  tokenOf(user: TestUser): Promise<string>
}

export class TestClient {
  readonly #urls: readonly string[]
  #turn = 0
  readonly #provider: Issuer | undefined

  /** With several nodes, each call goes to the next one. `provider` is the provider whose users can log in by name. */
  constructor(url: string | readonly string[], provider?: Issuer) {
    this.#urls = [url].flat()
    this.#provider = provider
  }

  /** Calls an endpoint. Throws unless the answer is documented. `input` is the body of a POST or the query of a GET. */
  async call(name: EndpointName, input: object, { token, headers }: Extras = {}): Promise<Answer> {
    const { method, path } = endpoints[name]
    const query = method === 'GET' ? `?${new URLSearchParams(input as Record<string, string>).toString()}` : ''
    const response = await fetch(`${this.#urls[this.#turn++ % this.#urls.length]}${path}${query}`, {
      method,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      ...(method === 'POST' && { body: JSON.stringify(input) }),
    })
    const answer = await answerOf(response)
    assertPublished(name, answer.status, answer.text)
    return answer
  }

  async get(path: string): Promise<Answer> {
    return answerOf(await fetch(`${this.#urls[0]}${path}`))
  }

  /** Exchanges a token of another service for one of a trust, at the token endpoint. */
  async exchange(subjectToken: string, trustId: string, headers: Record<string, string> = {}): Promise<Answer> {
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subjectToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      audience: trustId,
    })
    const url = `${this.#urls[this.#turn++ % this.#urls.length]}/oauth/token`
    const answer = await answerOf(await fetch(url, { method: 'POST', headers, body }))
    assertPublished('tokenExchange', answer.status, answer.text)
    return answer
  }

  /** Calls and throws unless the answer is 200. */
  async must(name: EndpointName, input: object, extras: Extras = {}): Promise<Answer['body']> {
    const { status, text, body } = await this.call(name, input, extras)
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`)
    return body
  }

  async #tokenOf(user: TestUser): Promise<string> {
    if (!this.#provider) throw new Error('this client has no provider: pass a token instead of a user')
    return this.#provider.tokenOf(user)
  }

  /** Creates a device code that the user, or the bearer of a provider token, has approved and no client has polled. */
  async approved(by: TestUser | string): Promise<{ deviceCode: string; userCode: string }> {
    const { deviceCode, userCode } = await this.must('deviceStart', { clientName: 'test' })
    await this.must('deviceComplete', { userCode }, { token: typeof by === 'string' ? by : await this.#tokenOf(by) })
    return { deviceCode, userCode }
  }

  /** Creates a session through the complete device flow. */
  async login(by: TestUser | string): Promise<TokenPair> {
    const { deviceCode } = await this.approved(by)
    return this.must('devicePoll', { deviceCode })
  }

  refresh(refreshToken: string): Promise<Answer> {
    return this.call('tokenRefresh', { refreshToken })
  }
}

let users = 0

/** Returns a new user in an organization with the given slug. */
export function newUser(orgSlug = 'acme'): TestUser {
  users++
  return { userId: `user-${users}`, orgId: `id-of-${orgSlug}`, orgSlug }
}

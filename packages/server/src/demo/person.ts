/** A person of the demo, who sends what a browser and a program of theirs would send. */
import { endpoints, type EndpointName } from '@rollkey/contract'

type Json = Record<string, unknown>

async function answerOf(response: Response): Promise<Json> {
  if (!response.ok) throw new Error(`${new URL(response.url).pathname}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Json
}

/** What the list of a person's sessions names. */
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'

export class DemoPerson {
  readonly email: string
  readonly #url: string
  readonly #cookies = new Map<string, string>()

  constructor(url: string, email: string) {
    this.#url = url
    this.email = email
  }

  async #send(path: string, init?: RequestInit): Promise<Json> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers = { origin: this.#url, 'content-type': 'application/json', 'user-agent': browser, cookie }
    const response = await fetch(`${this.#url}/identity${path}`, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return answerOf(response)
  }

  /** Posts to the identity provider. Throws unless the answer is a success. */
  post(path: string, body: object): Promise<Json> {
    return this.#send(path, { method: 'POST', body: JSON.stringify(body) })
  }

  /** Returns the id of this person at the identity provider. */
  async id(): Promise<string> {
    const { user } = await this.#send('/get-session')
    return String((user as Json)['id'])
  }

  /** Creates an invitation and returns its signed id. */
  async invite(email: string, role: string): Promise<string> {
    const { id: invitationId } = await this.post('/organization/invite-member', { email, role })
    const { url } = await this.post('/links/invite', { invitationId })
    return new URLSearchParams(new URL(String(url)).hash.slice(1)).get('id') ?? ''
  }

  /** Calls an endpoint with a POST, as this person or with a token. Throws unless the answer is a success. */
  async call(name: EndpointName, body: object, token?: string): Promise<Json> {
    const bearer = token ?? String((await this.#send('/token'))['token'])
    const headers = { authorization: `Bearer ${bearer}` }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return answerOf(await fetch(`${this.#url}${endpoints[name].path}`, init))
  }

  /** Logs in a command line of this person. */
  async logIn(clientName: string): Promise<void> {
    const { deviceCode, userCode } = await this.call('deviceStart', { clientName })
    await this.call('deviceComplete', { userCode })
    await this.call('devicePoll', { deviceCode })
  }
}

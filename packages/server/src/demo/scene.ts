import type { EndpointName } from '@rollkey/contract'
import type { StoryClock } from './clock.ts'
import type { DemoPerson } from './person.ts'

/** The people of the demo. */
export interface Cast {
  readonly ada: DemoPerson
  readonly grace: DemoPerson
  readonly alan: DemoPerson
  readonly katherine: DemoPerson
  readonly margaret: DemoPerson
}

interface SceneOptions {
  readonly url: string
  readonly orgSlug: string
  readonly clock: StoryClock
  readonly cast: Cast
  /** Ids of the people at the identity provider. */
  readonly ids: Readonly<Record<keyof Cast, string>>
}

/** Where the story is: its time, and calls of its people and programs. Calls throw unless the answer is a success. */
export class Scene {
  readonly #options: SceneOptions

  constructor(options: SceneOptions) {
    this.#options = options
  }

  /** Calls an endpoint for the organization, as a person or with a token. */
  readonly call = (by: keyof Cast, endpoint: EndpointName, body: object, token?: string) =>
    this.#options.cast[by].call(endpoint, { orgSlug: this.#options.orgSlug, ...body }, token)

  /** Goes to an hour (UTC) of a day. Returns false, and stays, if that is after the end. */
  readonly goTo = (day: number, hour: number): boolean => this.#options.clock.goTo(day, hour)

  /** Returns the id of a person at the identity provider. */
  readonly idOf = (name: keyof Cast): string => this.#options.ids[name]

  nowMs(): number {
    return this.#options.clock.now()
  }

  endMs(): number {
    return this.#options.clock.endMs
  }

  isWeekend(): boolean {
    return [0, 6].includes(new Date(this.nowMs()).getUTCDay())
  }

  /** Reads all flags with a client key. */
  async readFlags(key: string, targetingKey: string): Promise<void> {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', origin: 'https://shop.acme.example' }
    await this.#post('/ofrep/v1/evaluate/flags', headers, JSON.stringify({ context: { targetingKey } }))
  }

  /** Returns the access token that a trust gives for a token of its issuer. */
  async exchange(trustId: string, jwt: string): Promise<string> {
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: jwt,
      audience: trustId,
    })
    const answer = await this.#post('/oauth/token', {}, form)
    return String(((await answer.json()) as Record<string, unknown>)['access_token'])
  }

  async #post(path: string, headers: Record<string, string>, body: string | URLSearchParams): Promise<Response> {
    const answer = await fetch(this.#options.url + path, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
}

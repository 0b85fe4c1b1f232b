/** Clients that do everything that changes something, each until its service is gone, and what they were told. */
import { newUser, type TestClient, type TokenPair } from '../../testkit/client.ts'
import type { TestProvider, TestUser } from '../../testkit/provider.ts'

const writers = 12
const visitors = 4

/** The name that is written together with this one, with the same value. */
export function otherOf(name: string): string {
  return name.startsWith('ONE') ? name.replace('ONE', 'OTHER') : name.replace('OTHER', 'ONE')
}

/** How many were sent, and of how many the answer came. */
class Tally {
  sent = 0
  acknowledged = 0

  async count<T>(work: Promise<T>): Promise<T> {
    this.sent++
    const answer = await work
    this.acknowledged++
    return answer
  }
}

export class Load {
  readonly user: TestUser
  readonly at: { readonly orgSlug: string; readonly projectSlug: string; readonly stageSlug: string }
  /** Acknowledged: values by name. */
  readonly written = new Map<string, string>()
  readonly sentNames = new Set<string>()
  readonly acknowledgedKeys = new Set<string>()
  readonly units = new Tally()
  readonly reveals = new Tally()
  /** Came by an exchange or a refresh, and nothing is under way with them. */
  readonly pairs: TokenPair[] = []
  /** Device codes that were approved, and with which nothing is under way. */
  readonly approved: string[] = []
  /** Those that gave their pair. */
  readonly exchanged: string[] = []
  readonly #client: TestClient
  readonly #provider: TestProvider
  #acknowledgements = 0
  #enough = Infinity
  readonly #isEnough = Promise.withResolvers<void>()

  /** In an organization of its own, so that what is counted there is of this load. */
  constructor(client: TestClient, provider: TestProvider, name: string) {
    this.#client = client
    this.#provider = provider
    this.user = newUser(name)
    this.at = { orgSlug: this.user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
  }

  /** Resolves after so many answers; the clients go on until the service is gone, and then they are rejected. */
  async run(answers: number): Promise<{ ended: Promise<PromiseSettledResult<void>[]> }> {
    this.#enough = answers
    const { accessToken } = await this.#client.login(this.user)
    const clients = [
      ...Array.from({ length: writers }, (_, writer) => this.#repeat((i) => this.#write(accessToken, writer, i))),
      ...Array.from({ length: visitors }, () => this.#repeat((i) => this.#visit(i))),
    ]
    const ended = Promise.allSettled(clients)
    await Promise.race([this.#isEnough.promise, ended])
    return { ended }
  }

  /** Goes on until the service is gone. One that is too busy for an answer has acknowledged nothing. */
  async #repeat(work: (index: number) => Promise<void>): Promise<void> {
    for (let i = 0; ; i++) {
      try {
        await work(i)
      } catch (error) {
        if (!/^\w+: 503 /.test((error as Error).message)) throw error
      }
    }
  }

  async #told<T>(answer: Promise<T>): Promise<T> {
    const told = await answer
    if (++this.#acknowledgements === this.#enough) this.#isEnough.resolve()
    return told
  }

  async #write(token: string, writer: number, i: number): Promise<void> {
    const { at } = this
    const one = `ONE_${writer}_${i}`
    const names = [one, otherOf(one)]
    const value = crypto.randomUUID()
    for (const name of names) this.sentNames.add(name)
    const entries = names.map((name) => ({ name, kind: 'secret', value }))
    await this.#told(this.#client.must('write', { ...at, mode: 'create_only', entries }, { token }))
    for (const name of names) this.written.set(name, value)

    const key = crypto.randomUUID()
    const wanted = { ...at, name: one }
    const headers = { 'x-service-request-key': key }
    await this.#told(this.units.count(this.#client.must('evaluate', wanted, { token, headers })))
    this.acknowledgedKeys.add(key)
    await this.#told(this.units.count(this.#client.must('evaluate', wanted, { token })))
    await this.#told(this.reveals.count(this.#client.must('reveal', { ...at, names }, { token })))
  }

  /** Logs in, leaves every other code at its approval, and refreshes every other pair. */
  async #visit(i: number): Promise<void> {
    const { deviceCode } = await this.#told(this.#client.approved(await this.#provider.tokenOf(this.user)))
    if (i % 2 === 1) {
      this.approved.push(deviceCode)
      return
    }
    const pair: TokenPair = await this.#told(this.#client.must('devicePoll', { deviceCode }))
    this.exchanged.push(deviceCode)
    if (i % 4 === 0) this.pairs.push(pair)
    else this.pairs.push(await this.#told(this.#client.must('tokenRefresh', { refreshToken: pair.refreshToken })))
  }
}

/** Clients that make every kind of change until their service is gone, and the answers that they received. */
import { newUser, type TestClient, type TokenPair } from '../../testkit/client.ts'
import type { TestProvider, TestUser } from '../../testkit/provider.ts'

const writers = 12
const visitors = 4

/** Returns the name that is written together with this one, with the same value. */
export function otherOf(name: string): string {
  return name.startsWith('ONE') ? name.replace('ONE', 'OTHER') : name.replace('OTHER', 'ONE')
}

interface Counts {
  readonly sent: number
  readonly acknowledged: number
}

/** What had been acknowledged at a moment, and what was sent in all. */
export interface Acknowledged {
  readonly user: TestUser
  readonly at: { readonly orgSlug: string; readonly projectSlug: string; readonly stageSlug: string }
  /** Acknowledged values by name. */
  readonly written: ReadonlyMap<string, string>
  readonly sentNames: ReadonlySet<string>
  readonly acknowledgedKeys: ReadonlySet<string>
  readonly units: Counts
  readonly reveals: Counts
}

/** Count of requests sent and of answers received. */
class Tally implements Counts {
  sent = 0
  acknowledged = 0

  async count<T>(work: Promise<T>): Promise<T> {
    this.sent++
    const answer = await work
    this.acknowledged++
    return answer
  }

  acknowledgedNow(): Counts {
    const { acknowledged } = this
    const sent = (): number => this.sent
    return {
      acknowledged,
      get sent() {
        return sent()
      },
    }
  }
}

export class Load implements Acknowledged {
  readonly user: TestUser
  readonly at: Acknowledged['at']
  readonly written = new Map<string, string>()
  readonly sentNames = new Set<string>()
  readonly acknowledgedKeys = new Set<string>()
  readonly units = new Tally()
  readonly reveals = new Tally()
  /** Token pairs of an exchange or a refresh with no request in flight. */
  readonly pairs: TokenPair[] = []
  /** Approved device codes with no request in flight. */
  readonly approved: string[] = []
  /** Device codes that were exchanged for a pair. */
  readonly exchanged: string[] = []
  readonly #client: TestClient
  readonly #provider: TestProvider
  #acknowledgements = 0
  #enough = Infinity
  readonly #isEnough = Promise.withResolvers<void>()

  /** Uses a separate organization, so that its counts belong to this load only. */
  constructor(client: TestClient, provider: TestProvider, name: string) {
    this.#client = client
    this.#provider = provider
    this.user = newUser(name)
    this.at = { orgSlug: this.user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
  }

  /** Resolves after this many answers. The clients continue until the service is gone, and then reject. */
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

  /** Returns what is acknowledged now. What was sent goes on. */
  acknowledged(): Acknowledged {
    const { user, at, written, sentNames, acknowledgedKeys, units, reveals } = this
    return {
      user,
      at,
      sentNames,
      written: new Map(written),
      acknowledgedKeys: new Set(acknowledgedKeys),
      units: units.acknowledgedNow(),
      reveals: reveals.acknowledgedNow(),
    }
  }

  /** Repeats the work until the service is gone. A 503 from a busy service acknowledges nothing. */
  async #repeat(work: (index: number) => Promise<void>): Promise<void> {
    for (let i = 0; ; i++) {
      try {
        await work(i)
      } catch (error) {
        if (!/^\w+: 503 /.test((error as Error).message)) throw error
      }
    }
  }

  async #received<T>(answer: Promise<T>): Promise<T> {
    const received = await answer
    if (++this.#acknowledgements === this.#enough) this.#isEnough.resolve()
    return received
  }

  async #write(token: string, writer: number, i: number): Promise<void> {
    const { at } = this
    const one = `ONE_${writer}_${i}`
    const names = [one, otherOf(one)]
    const value = crypto.randomUUID()
    for (const name of names) this.sentNames.add(name)
    const entries = names.map((name) => ({ name, kind: 'secret', value }))
    await this.#received(this.#client.must('write', { ...at, mode: 'create_only', entries }, { token }))
    for (const name of names) this.written.set(name, value)

    const key = crypto.randomUUID()
    const wanted = { ...at, name: one }
    const headers = { 'x-service-request-key': key }
    await this.#received(this.units.count(this.#client.must('evaluate', wanted, { token, headers })))
    this.acknowledgedKeys.add(key)
    await this.#received(this.units.count(this.#client.must('evaluate', wanted, { token })))
    await this.#received(this.reveals.count(this.#client.must('reveal', { ...at, names }, { token })))
  }

  /** Logs in, leaves every other code at its approval, and refreshes every other pair. */
  async #visit(i: number): Promise<void> {
    const { deviceCode } = await this.#received(this.#client.approved(await this.#provider.tokenOf(this.user)))
    if (i % 2 === 1) {
      this.approved.push(deviceCode)
      return
    }
    const pair: TokenPair = await this.#received(this.#client.must('devicePoll', { deviceCode }))
    this.exchanged.push(deviceCode)
    if (i % 4 === 0) this.pairs.push(pair)
    else this.pairs.push(await this.#received(this.#client.must('tokenRefresh', { refreshToken: pair.refreshToken })))
  }
}

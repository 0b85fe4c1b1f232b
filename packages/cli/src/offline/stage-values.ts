/** The values of a stage for `run`, `pull` and `render`: of the service, or the last ones while it cannot be reached. */
import { RollkeyError, type Client, type PullResult } from '@rollkey/sdk'
import { exit, CliError, failureOf, usage } from '../frame/cli-error.ts'
import type { Option } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import { rollOf, warnOfKeyAlone, type Roll, type RollOptions } from '../frame/roll-options.ts'
import { agoText, spanOf } from '../frame/time.ts'
import { joinNames, type Variables } from '../formats/refuse.ts'
import { Overrides } from '../overrides/overrides.ts'
import { isProtectedStage } from './protection.ts'
import { StageSnapshot, type LastValues } from './snapshots.ts'

export interface OfflineOptions {
  readonly offline?: true
  readonly fallback: boolean
  readonly maxAge?: string
}

const defaultMaxAge = '24h'

export const offlineOptions: readonly Option[] = [
  ['--offline', 'use the last values of this machine, without a request'],
  ['--no-fallback', 'neither use nor keep values on this machine (ROLLKEY_FALLBACK=off)'],
  [
    '--max-age <span>',
    `how old values may be that are used without the service, such as 30m or 2d (default: ${defaultMaxAge})`,
  ],
]

/** How long a start waits for the service if there are values to use instead, in milliseconds. */
const maxWaitMs = 2_000

export class StageValues {
  readonly #context: Context
  readonly #roll: Roll
  readonly #snapshot: StageSnapshot | undefined
  /** Values of this machine. They go over those of the stage, and are not kept with them. */
  readonly #overrides: Variables
  readonly #isOffline: boolean
  readonly #maxAge: string
  #client: Promise<Client> | undefined
  #keeping: Promise<void> = Promise.resolve()
  #saidOverrides = ''

  private constructor(
    context: Context,
    roll: Roll,
    { snapshot, overrides }: { snapshot: StageSnapshot | undefined; overrides: Variables },
    { offline, maxAge = defaultMaxAge }: OfflineOptions,
  ) {
    this.#context = context
    this.#roll = roll
    this.#snapshot = snapshot
    this.#overrides = overrides
    this.#isOffline = offline === true
    this.#maxAge = maxAge
  }

  /** Throws USAGE for options that do not go together, or the errors of settings and logins. */
  static async open(context: Context, options: OfflineOptions & RollOptions): Promise<StageValues> {
    const { CI: ci, ROLLKEY_FALLBACK: fallback } = context.env
    const isOff = !options.fallback || fallback === 'off'
    if (options.offline && isOff)
      throw usage('--offline does not go together with --no-fallback or ROLLKEY_FALLBACK=off')
    if (options.offline && ci) throw usage('--offline is not possible in CI, where no values are kept')
    if (options.maxAge !== undefined) spanOf(options.maxAge, '--max-age')
    const roll = rollOf(options)
    warnOfKeyAlone(context.out, roll)
    context.expectStage()
    const snapshot = isOff || ci ? undefined : await StageSnapshot.open(context, roll)
    const overrides = await new Overrides(context).load()
    return new StageValues(context, roll, { snapshot, overrides }, options)
  }

  /** A client that is patient, for later requests. */
  client(): Promise<Client> {
    this.#client ??= this.#context.stage().then((client) => client.for(this.#roll))
    return this.#client
  }

  /** Returns the values for a start. Throws CliError or RollkeyError. */
  async read(): Promise<PullResult> {
    const last = await this.#snapshot?.load()
    const usable = last && Date.now() - last.atMs <= spanOf(this.#maxAge, '--max-age') ? last : undefined
    if (this.#isOffline) return this.#useOffline(usable, last)
    if (!usable) return this.#readPatiently(last)
    try {
      return await this.#readSoon()
    } catch (error) {
      // A stage that is protected by now needs a confirmation, and has no values here any more.
      if (error instanceof RollkeyError && error.code === 'CONFIRMATION_REQUIRED') return this.#pullConfirmed()
      if (!isOutage(error)) throw error
      const { code, what } = failureOf(error)
      return this.#use(usable, `${code}: ${what}. Using`)
    }
  }

  /** Returns the values of the service, and keeps them. Throws RollkeyError. */
  async pull(): Promise<PullResult> {
    const client = await this.client()
    return this.#keepAfter(client, () => client.pull())
  }

  /** Waits until values are kept, and ends the requests. */
  async close(): Promise<void> {
    await this.#keeping
    await this.#client?.then(
      (client) => client.close(),
      () => undefined,
    )
  }

  async #pullConfirmed(): Promise<PullResult> {
    const client = await this.client()
    return this.#keepAfter(client, () => withConfirmation(this.#context, client, () => client.pull()))
  }

  async #readPatiently(last: LastValues | undefined): Promise<PullResult> {
    try {
      return await this.#pullConfirmed()
    } catch (error) {
      if (!last || !isOutage(error)) throw error
      const { code, what, status, requestId } = failureOf(error)
      const age = `The last values are from ${agoText(last.atMs)}, and --max-age is ${this.#maxAge}`
      throw new CliError(code, `${what}. ${age}`, { status, requestId })
    }
  }

  /** Asks the service once, and not for longer than a start may wait. */
  async #readSoon(): Promise<PullResult> {
    const late = new AbortController()
    const url = this.#context.settings.url.value
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new RollkeyError('UNREACHABLE', `${url} did not answer within ${maxWaitMs} ms.`))
        late.abort()
      }, maxWaitMs)
    })
    const pull = async (): Promise<PullResult> => {
      const client = (await this.#context.stage({ signal: late.signal, retry: false })).for(this.#roll)
      return this.#keepAfter(client, () => client.pull())
    }
    try {
      return await Promise.race([pull(), limit])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Keeps what a pull returns, except the values of a protected stage. Asks for both at once. */
  async #keepAfter(client: Client, pull: () => Promise<PullResult>): Promise<PullResult> {
    const snapshot = this.#snapshot
    if (!snapshot && Object.keys(this.#overrides).length === 0) return pull()
    const protection = isProtectedStage(client, this.#context)
    const known = protection.catch(() => undefined)
    try {
      const pulled = await pull()
      this.#keeping = known.then((isProtected) => {
        if (isProtected === false) return snapshot?.save(pulled)
        if (isProtected === true) snapshot?.erase()
        return undefined
      })
      return this.#overridden(pulled, Object.keys(this.#overrides).length > 0 && (await protection) !== false)
    } catch (error) {
      snapshot?.eraseAfter(error)
      throw error
    }
  }

  /** Returns values with those of this machine in their place, and says so once. */
  #overridden({ revision, variables }: PullResult, isProtected: boolean): PullResult {
    const { env, out, where } = this.#context
    const names = Object.keys(this.#overrides)
    if (names.length === 0) return { revision, variables }
    const unused = env['CI'] ? 'in CI' : isProtected ? `in ${where}, which is protected` : undefined
    const text =
      unused === undefined
        ? `${names.length} overridden here: ${joinNames(names)}`
        : `Overrides of this machine are not used ${unused}: ${joinNames(names)}`
    if (text !== this.#saidOverrides) out.warn(text)
    this.#saidOverrides = text
    if (unused !== undefined) return { revision, variables }
    return { revision, variables: Object.assign(Object.create(null) as object, variables, this.#overrides) }
  }

  #useOffline(usable: LastValues | undefined, last: LastValues | undefined): PullResult {
    if (usable) return this.#use(usable, 'Offline: using')
    const { where } = this.#context
    const why = last
      ? `from ${agoText(last.atMs)}, and --max-age is ${this.#maxAge}`
      : 'none for this credential and seed; protected stages keep none'
    throw new CliError(
      'NO_LAST_VALUES',
      `The last values of ${where} on this machine are ${why}. Leave out --offline`,
      {
        status: exit.unreachable,
        command: 'rollkey doctor',
      },
    )
  }

  #use({ revision, variables, atMs }: LastValues, how: string): PullResult {
    this.#context.out.warn(`${how} the values of ${this.#context.where} from ${agoText(atMs)} (revision ${revision})`)
    // Values of a protected stage are not kept.
    return this.#overridden({ revision, variables }, false)
  }
}

/** Returns whether an error says that the service cannot be reached, not that it refused something. */
function isOutage(error: unknown): boolean {
  return error instanceof RollkeyError && error.retry === 'backoff'
}

/** Does work that needs the service. An outage then says that `run` and `pull` have the last values of the stage, if they do. */
export async function withLastValuesNamed<Result>(context: Context, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const last = isOutage(error) ? await lastValuesOf(context) : undefined
    if (!last) throw error
    const { code, what, status, requestId } = failureOf(error)
    const advice = `rollkey run and rollkey pull use the values of ${context.where} from ${agoText(last.atMs)}`
    throw new CliError(code, `${what}. Without the service, ${advice}`, { status, requestId })
  }
}

/** Returns what `run` uses without the service and without options. */
async function lastValuesOf(context: Context): Promise<LastValues | undefined> {
  const { CI: ci, ROLLKEY_FALLBACK: fallback } = context.env
  if (ci || fallback === 'off') return undefined
  const last = await (await StageSnapshot.open(context, rollOf({})))?.load()
  return last && Date.now() - last.atMs <= spanOf(defaultMaxAge, '--max-age') ? last : undefined
}

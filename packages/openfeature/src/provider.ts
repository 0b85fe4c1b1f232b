import { setTimeout as wait } from 'node:timers/promises'
import {
  OpenFeatureEventEmitter,
  ProviderEvents,
  ProviderNotReadyError,
  TargetingKeyMissingError,
  TypeMismatchError,
  type EvaluationContext,
  type JsonValue,
  type Provider,
  type ResolutionDetails,
  type TrackingEventDetails,
} from '@openfeature/server-sdk'
import {
  createClient,
  RollkeyError,
  type Client,
  type ClientOptions,
  type Inspection,
  type Local,
  type LocalOptions,
  type Roll,
  type StageChange,
} from '@rollkey/sdk'
import { concernsAll, evaluationError, isTransient, startError } from './errors.ts'
import { Outage } from './outage.ts'
import { isRandom, rollOf } from './roll.ts'
import {
  dependsOnBucket,
  flagTypesFor,
  flagValueOf,
  metadataOf,
  reasonOf,
  variantOf,
  type FlagValues,
} from './values.ts'

/** Options of `RollkeyProvider`. */
export interface RollkeyProviderOptions {
  /**
   * Experiment of A/B rolls, as a namespace of the targeting key. `rollKey` of an evaluation context overrides it. At most
   * 1,024 bytes of UTF-8.
   *
   * @default '' (no namespace)
   */
  readonly key?: string
  /**
   * Where flags are decided. `in-process`: in the program, without a request for each user, by the same rules and with the same reasons;
   * what the ruleset does not have, such as secrets, is requested from the service.
   *
   * @default 'service'
   */
  readonly decide?: 'service' | 'in-process'
  /** Options of decisions in the program, such as a snapshot. @default {} */
  readonly local?: LocalOptions
  /**
   * Interval between two requests for the end of an outage, or for changes while there is no stream of them, in milliseconds.
   *
   * @default 30_000
   */
  readonly intervalMs?: number
  /**
   * Receives the tracking events of OpenFeature's clients, to pass them to a system that analyzes them: Rollkey stores nothing
   * about users. Must not throw.
   *
   * @default tracking events are ignored
   */
  readonly track?: NonNullable<Provider['track']>
}

/** A resolved flag: the value, the reason, the label or side of a roll or `default` as `variant`, and what is known of it as metadata. */
type Details<Type extends keyof FlagValues> = Promise<ResolutionDetails<FlagValues[Type]>>

/** State between `initialize` and `onClose`. */
interface OpenState {
  readonly client: Client
  readonly outage: Outage
  readonly closing: AbortController
  /** Decides in the program. Undefined: the service decides, at least until it answers again. */
  local?: Local
}

/**
 * An OpenFeature provider for the variables of a stage. The targeting key is the seed of A/B rolls. OpenFeature calls the methods, and turns their errors into the default value and the `errorCode` of the details
 * (OpenFeature specification, section 1.4).
 *
 * @example
 * import { OpenFeature } from '@openfeature/server-sdk'
 * import { RollkeyProvider } from '@rollkey/openfeature'
 *
 * const provider = new RollkeyProvider({
 *   url: 'https://rollkey.example.com',
 *   org: 'acme',
 *   project: 'shop',
 *   stage: 'prod',
 *   token: process.env.ROLLKEY_TOKEN ?? '',
 * })
 * await OpenFeature.setProviderAndWait(provider)
 * const isNew = await OpenFeature.getClient().getBooleanValue('NEW_CHECKOUT', false, { targetingKey: 'user-1' })
 */
export class RollkeyProvider implements Provider {
  /** The name of the provider: `rollkey`. */
  readonly metadata = { name: 'rollkey' }
  /** Where it runs: in server programs, since it needs a token. */
  readonly runsOn = 'server'
  /** Emits `PROVIDER_CONFIGURATION_CHANGED`, `PROVIDER_STALE`, `PROVIDER_ERROR` and `PROVIDER_READY`. */
  readonly events = new OpenFeatureEventEmitter()
  readonly #connection: Client | ClientOptions
  readonly #options: RollkeyProviderOptions & { readonly intervalMs: number }
  #open: OpenState | undefined

  /**
   * Takes a client, which its owner closes, or client options, from which the provider creates and closes a client. Never
   * throws.
   */
  constructor(connection: Client | ClientOptions, { intervalMs = 30_000, ...options }: RollkeyProviderOptions = {}) {
    this.#connection = connection
    this.#options = { intervalMs, ...options }
  }

  /**
   * Starts the provider with one request, which is not metered.
   *
   * @throws {ProviderFatalError} `PROVIDER_FATAL` if the settings or the credential are wrong.
   * @throws {GeneralError} `GENERAL` if the service cannot be reached. `PROVIDER_READY` follows when it is back.
   */
  async initialize(): Promise<void> {
    const client = clientOf(this.#connection)
    const closing = new AbortController()
    const { signal } = closing
    const outage = new Outage({ client, events: this.events, intervalMs: this.#options.intervalMs, signal })
    this.#open = { client, outage, closing }
    try {
      if (this.#options.decide === 'in-process') await this.#startLocal(this.#open)
      else this.#follow(this.#open, (await client.manifest()).revision)
      outage.begin(false)
    } catch (error) {
      // If another provider has replaced this one during the start, its clients use the other one and see no error.
      if (signal.aborted) return
      if (isTransient(error)) {
        if (this.#options.decide === 'in-process') void this.#startLocalLater(this.#open)
        else this.#follow(this.#open)
        outage.begin(true)
      } else await this.onClose()
      throw startError(error)
    }
  }

  /** Throws RollkeyError. */
  async #startLocal(open: OpenState): Promise<void> {
    const { client, outage, closing } = open
    const local = await client.local({ intervalMs: this.#options.intervalMs, ...this.#options.local })
    local.on('change', (change) => this.#emitChange(change))
    local.on('stale', (isStale) => (isStale ? outage.suspect() : outage.suspectEnd()))
    if (closing.signal.aborted) await local.close()
    else open.local = local
  }

  /** Starts decisions in the program once the service answers. Until then, evaluations ask the service. */
  async #startLocalLater(open: OpenState): Promise<void> {
    const { signal } = open.closing
    while (!signal.aborted && !open.local) {
      await wait(this.#options.intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await this.#startLocal(open).catch(() => undefined)
    }
  }

  /** Emits each change after the revision, or after the first one seen. */
  #follow({ client, outage, closing: { signal } }: OpenState, since?: number): void {
    const onReachable = (isReachable: boolean): void => (isReachable ? outage.suspectEnd() : outage.suspect())
    client.watch((change) => this.#emitChange(change), {
      since,
      intervalMs: this.#options.intervalMs,
      signal,
      onReachable,
    })
  }

  #emitChange({ names }: StageChange): void {
    this.events.emit(ProviderEvents.ConfigurationChanged, names && { flagsChanged: [...names] })
  }

  /** Ends the watch for changes, and reports the last decisions in the program. Closes the client if the provider created it. Never throws. */
  async onClose(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    open?.closing.abort()
    await open?.local?.close()
    if ('token' in this.#connection) open?.client.close()
  }

  /**
   * Resolves a variable of declared type `boolean`.
   *
   * @throws {OpenFeatureError} `FLAG_NOT_FOUND` if the stage has no such variable, `TYPE_MISMATCH` if its declared type is
   * another, or any other code in the table of the README.
   */
  resolveBooleanEvaluation(name: string, _: boolean, context: EvaluationContext): Details<'boolean'> {
    return this.#resolve('boolean', name, context)
  }

  /**
   * Resolves a variable of declared type `string` or `date`, as its text, or without one.
   *
   * @throws {OpenFeatureError} `FLAG_NOT_FOUND` if the stage has no such variable, `TYPE_MISMATCH` if its declared type is
   * another, or any other code in the table of the README.
   */
  resolveStringEvaluation(name: string, _: string, context: EvaluationContext): Details<'string'> {
    return this.#resolve('string', name, context)
  }

  /**
   * Resolves a variable of declared type `float` or `int64`, up to 2^53 - 1.
   *
   * @throws {OpenFeatureError} `FLAG_NOT_FOUND` if the stage has no such variable, `TYPE_MISMATCH` if its declared type is
   * another, or any other code in the table of the README.
   */
  resolveNumberEvaluation(name: string, _: number, context: EvaluationContext): Details<'number'> {
    return this.#resolve('number', name, context)
  }

  /**
   * Resolves a variable of declared type `json`.
   *
   * @throws {OpenFeatureError} `FLAG_NOT_FOUND` if the stage has no such variable, `TYPE_MISMATCH` if its declared type is
   * another, or any other code in the table of the README.
   */
  resolveObjectEvaluation<Value extends JsonValue>(
    name: string,
    _: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> {
    return this.#resolve('object', name, context) as Promise<ResolutionDetails<Value>>
  }

  /** Passes a tracking event to the option `track`. Never throws, unless that does. */
  track(name: string, context: EvaluationContext, details: TrackingEventDetails): void {
    this.#options.track?.(name, context, details)
  }

  async #resolve<Type extends keyof FlagValues>(type: Type, name: string, context: EvaluationContext): Details<Type> {
    const inspection = await this.#inspect(name, context)
    const value = flagValueOf(type, inspection)
    if (value === undefined) throw typeMismatch(name, inspection.declaredType ?? 'untyped', type)
    return {
      value,
      reason: reasonOf(inspection),
      variant: variantOf(inspection),
      flagMetadata: metadataOf(inspection),
    }
  }

  async #inspect(name: string, context: EvaluationContext): Promise<Inspection> {
    if (!this.#open)
      throw new ProviderNotReadyError(
        'The provider is not initialized or is closed. Set it with OpenFeature.setProviderAndWait.',
      )
    const { client, outage, local } = this.#open
    const roll = rollOf(context, this.#options.key)
    try {
      const inspection =
        (local && inspectedBy(local, name, roll)) ?? (await client.inspect(name, roll, { explain: true }))
      if (inspection.source === 'stale') outage.suspect()
      // Of a secret that is being rotated, both values are valid for everyone.
      if (!isRandom(roll) || !dependsOnBucket(inspection) || inspection.rotating) return inspection
    } catch (error) {
      if (concernsAll(error)) outage.suspect()
      throw evaluationError(error)
    }
    throw new TargetingKeyMissingError(
      `${name} is an A/B roll, so its side depends on the user: set targetingKey in the evaluation context.`,
    )
  }
}

/** Returns what is decided in the program, or undefined if the ruleset does not have the variable. Throws RollkeyError. */
function inspectedBy(local: Local, name: string, roll: Roll): Inspection | undefined {
  try {
    return local.inspect(name, roll)
  } catch (error) {
    if (error instanceof RollkeyError && error.code === 'NOT_LOCAL') return undefined
    throw error
  }
}

/** Returns the given client, or creates one. Throws PROVIDER_FATAL for invalid settings. */
function clientOf(connection: Client | ClientOptions): Client {
  try {
    return 'token' in connection ? createClient(connection) : connection
  } catch (error) {
    throw startError(error)
  }
}

function typeMismatch(name: string, declaredType: string, type: keyof FlagValues): TypeMismatchError {
  const types = flagTypesFor(declaredType)
  const advice = types.includes(type)
    ? 'its value is beyond 2^53, which no number represents. Read it with get of the client.'
    : `request a flag of type ${types.join(' or ')}.`
  return new TypeMismatchError(`${name} is ${declaredType} and cannot be read as a flag of type ${type}: ${advice}`)
}

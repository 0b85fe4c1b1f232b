import {
  OpenFeatureEventEmitter,
  ProviderEvents,
  ProviderNotReadyError,
  TypeMismatchError,
  type EvaluationContext,
  type JsonValue,
  type Provider,
  type ResolutionDetails,
} from '@openfeature/server-sdk'
import { createClient, type Client, type ClientOptions, type Inspection } from '@rollkey/sdk'
import { evaluationError, isTransient, startError } from './errors.ts'
import { Outage } from './outage.ts'
import { rollOf } from './roll.ts'
import { flagValueOf, metadataOf, reasonOf, type FlagValues } from './values.ts'

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
   * Interval between two requests for the end of an outage, or for changes while there is no stream of them, in milliseconds.
   *
   * @default 30_000
   */
  readonly intervalMs?: number
}

/** A resolved flag: the value, the reason, the side of a roll as `variant`, and kind and declared type as metadata. */
type Details<Type extends keyof FlagValues> = Promise<ResolutionDetails<FlagValues[Type]>>

/** State between `initialize` and `onClose`. */
interface OpenState {
  readonly client: Client
  readonly outage: Outage
  readonly closing: AbortController
}

/**
 * An OpenFeature provider for the variables of a stage. The targeting key is the seed of A/B rolls. Without one, rolls are
 * random. OpenFeature calls the methods, and turns their errors into the default value and the `errorCode` of the details
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
  /** Emits `PROVIDER_CONFIGURATION_CHANGED`, `PROVIDER_STALE` and `PROVIDER_READY`. */
  readonly events = new OpenFeatureEventEmitter()
  readonly #connection: Client | ClientOptions
  readonly #key: string | undefined
  readonly #intervalMs: number
  #open: OpenState | undefined

  /**
   * Takes a client, which its owner closes, or client options, from which the provider creates and closes a client. Never
   * throws.
   */
  constructor(connection: Client | ClientOptions, { key, intervalMs = 30_000 }: RollkeyProviderOptions = {}) {
    this.#connection = connection
    this.#key = key
    this.#intervalMs = intervalMs
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
    const outage = new Outage({ client, events: this.events, intervalMs: this.#intervalMs, signal })
    this.#open = { client, outage, closing }
    client.watch(() => this.events.emit(ProviderEvents.ConfigurationChanged), { intervalMs: this.#intervalMs, signal })
    try {
      await client.manifest()
    } catch (error) {
      // If another provider has replaced this one during the start, its clients use the other one and see no error.
      if (signal.aborted) return
      if (isTransient(error)) void outage.waitForEnd()
      else await this.onClose()
      throw startError(error)
    }
  }

  /** Ends the watch for changes. Closes the client if the provider created it. Never throws. */
  async onClose(): Promise<void> {
    this.#open?.closing.abort()
    if ('token' in this.#connection) this.#open?.client.close()
    this.#open = undefined
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

  async #resolve<Type extends keyof FlagValues>(type: Type, name: string, context: EvaluationContext): Details<Type> {
    const inspection = await this.#inspect(name, context)
    const value = flagValueOf(type, inspection)
    if (value === undefined) {
      throw new TypeMismatchError(
        `${name} is ${inspection.declaredType ?? 'untyped'}, so it cannot be read as a flag of type ${type}`,
      )
    }
    const { decision } = inspection
    return {
      value,
      reason: reasonOf(inspection),
      flagMetadata: metadataOf(inspection),
      ...(decision && { variant: decision }),
    }
  }

  async #inspect(name: string, context: EvaluationContext): Promise<Inspection> {
    if (!this.#open)
      throw new ProviderNotReadyError(
        'The provider is not initialized or is closed. Set it with OpenFeature.setProviderAndWait.',
      )
    const { client, outage } = this.#open
    const roll = rollOf(context, this.#key)
    try {
      const inspection = await client.inspect(name, roll)
      if (inspection.source === 'stale') void outage.suspect()
      return inspection
    } catch (error) {
      if (isTransient(error)) void outage.suspect()
      throw evaluationError(error)
    }
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

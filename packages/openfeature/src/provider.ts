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

export interface RollkeyProviderOptions {
  /** Namespace of the targeting key in A/B rolls, such as an experiment; `rollKey` of an evaluation context wins. */
  readonly key?: string
  /** Milliseconds between two questions for changes, or for the return of a lost service; 30,000. */
  readonly everyMs?: number
}

type Details<Type extends keyof FlagValues> = Promise<ResolutionDetails<FlagValues[Type]>>

/** From initialize to onClose. */
interface Open {
  readonly client: Client
  readonly outage: Outage
  readonly closing: AbortController
}

/** The variables of a stage as flags. The targeting key is the seed of A/B rolls; without one, they are random. */
export class RollkeyProvider implements Provider {
  readonly metadata = { name: 'rollkey' }
  readonly runsOn = 'server'
  readonly events = new OpenFeatureEventEmitter()
  readonly #connection: Client | ClientOptions
  readonly #key: string | undefined
  readonly #everyMs: number
  #open: Open | undefined

  /** The provider closes the client that it makes of options; one that is given is its owner's to close. */
  constructor(connection: Client | ClientOptions, { key, everyMs = 30_000 }: RollkeyProviderOptions = {}) {
    this.#connection = connection
    this.#key = key
    this.#everyMs = everyMs
  }

  /**
   * Asks the service once, which costs nothing. Rejects with PROVIDER_FATAL if the settings or the credential are
   * wrong, with GENERAL if the service cannot be reached; PROVIDER_READY follows when it is back.
   */
  async initialize(): Promise<void> {
    const client = clientOf(this.#connection)
    const closing = new AbortController()
    const { signal } = closing
    const outage = new Outage({ client, events: this.events, everyMs: this.#everyMs, signal })
    this.#open = { client, outage, closing }
    client.watch(() => this.events.emit(ProviderEvents.ConfigurationChanged), { intervalMs: this.#everyMs, signal })
    try {
      await client.manifest()
    } catch (error) {
      // Another provider took its place during the start: that is not an error of its clients, who have the other one.
      if (signal.aborted) return
      if (isTransient(error)) void outage.waitForEnd()
      else await this.onClose()
      throw startError(error)
    }
  }

  async onClose(): Promise<void> {
    this.#open?.closing.abort()
    if ('token' in this.#connection) this.#open?.client.close()
    this.#open = undefined
  }

  resolveBooleanEvaluation(name: string, _: boolean, context: EvaluationContext): Details<'boolean'> {
    return this.#resolve('boolean', name, context)
  }

  resolveStringEvaluation(name: string, _: string, context: EvaluationContext): Details<'string'> {
    return this.#resolve('string', name, context)
  }

  resolveNumberEvaluation(name: string, _: number, context: EvaluationContext): Details<'number'> {
    return this.#resolve('number', name, context)
  }

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
      throw new TypeMismatchError(`${name} is ${inspection.declaredType ?? 'untyped'} and no flag of type ${type}`)
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
    if (!this.#open) throw new ProviderNotReadyError('The provider is not initialized, or closed.')
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

/** Throws PROVIDER_FATAL for settings that are wrong. */
function clientOf(connection: Client | ClientOptions): Client {
  try {
    return 'token' in connection ? createClient(connection) : connection
  } catch (error) {
    throw startError(error)
  }
}

/** The client that users call. Each method delegates to the module that does the work. */
import { Batches } from './batch.ts'
import { Cache } from './cache.ts'
import { Connection } from './connection.ts'
import { RollkeyError } from './errors.ts'
import { system, type Host } from './host.ts'
import { inspectionOf, type Lookup } from './inspection.ts'
import { Streams } from './live/streams.ts'
import { startLocal } from './local/local.ts'
import { createManagement } from './create-management.ts'
import type { Management } from './management.ts'
import { expectClient, expectGet, expectInspect, expectWatch } from './options.ts'
import { expectExisting, onWire, type WireStageRef } from './stage-ref.ts'
import { Revisions } from './revisions.ts'
import { merged, type AskedRoll } from './roll.ts'
import { isOutage } from './outages.ts'
import type {
  Client,
  ClientOptions,
  CopyOptions,
  GetOptions,
  Inspection,
  InspectOptions,
  Local,
  LocalOptions,
  StageChange,
  StageRef,
  PullResult,
  RestoreOptions,
  Roll,
  WatchOptions,
  Write,
} from './types.ts'
import type { Name, ValueOf } from './variables.ts'
import { Watch } from './watch.ts'
import type { Answer, Request, VariableUpdate } from './wire.ts'

/** State that all clients of one `createClient` share. */
interface Shared {
  readonly connection: Connection
  readonly revisions: Revisions
  readonly batches: Batches
  readonly streams: Streams
  readonly cache: Cache | undefined
}

/**
 * Creates a client for one stage. It sends no request before the first call.
 *
 * @throws {RollkeyError} `INVALID_SETTING` if an option does not exist or is missing, if the URL is malformed, if it is plain http to another machine
 * without `allowHttp`, or if a snapshot is given without a cache that may serve stale values.
 * @example
 * import { createClient } from '@rollkey/sdk'
 *
 * const rollkey = createClient({
 *   url: 'https://rollkey.example.com',
 *   org: 'acme',
 *   project: 'shop',
 *   stage: 'prod',
 *   token: process.env.ROLLKEY_TOKEN ?? '',
 * })
 * const apiKey = await rollkey.get('API_KEY')
 */
export function createClient(options: ClientOptions): Client {
  expectClient(options)
  return clientOf(options, system)
}

/** Creates a client on a given host, for tests. */
export function clientOf(options: ClientOptions, host: Host): Client {
  const { org, project, stage, cache = {}, snapshot } = options
  if (snapshot && (cache === false || cache.stale === false)) {
    throw new RollkeyError(
      'INVALID_SETTING',
      'A snapshot needs a cache that may serve stale values. Remove `snapshot`, or allow `cache` and `cache.stale`.',
    )
  }
  const connection = new Connection(options, host)
  const revisions = new Revisions(connection)
  const batches = new Batches(connection, (stageRef) => revisions.of(stageRef).names)
  const parts = { connection, revisions, batches, snapshot }
  const shared = {
    connection,
    revisions,
    batches,
    streams: new Streams(connection),
    cache: cache === false ? undefined : new Cache(parts, cache),
  }
  return new StageClient(shared, { org, project, stage }, {})
}

/** Returns whether a call has a default, even undefined. */
function hasDefault<D>(options: GetOptions<D>): options is GetOptions<D> & { readonly default: D } {
  return Object.hasOwn(options, 'default')
}

class StageClient implements Client {
  readonly #shared: Shared
  readonly #stageRef: StageRef
  readonly #roll: Roll

  constructor(shared: Shared, stageRef: StageRef, roll: Roll) {
    this.#shared = shared
    this.#stageRef = stageRef
    this.#roll = roll
  }

  get #wire(): WireStageRef {
    return onWire(this.#stageRef)
  }

  get #connection(): Connection {
    return this.#shared.connection
  }

  async get<N extends Name, D = never>(name: N, options: GetOptions<D> = {}): Promise<ValueOf<N> | D> {
    expectGet(options)
    if (!hasDefault(options)) return (await this.inspect(name, options)).value
    const { default: otherwise, ...roll } = options
    try {
      return (await this.inspect(name, roll)).value
    } catch (error) {
      const isMissing = error instanceof RollkeyError && error.code === 'VARIABLE_NOT_FOUND'
      if (isMissing || isOutage(error)) return otherwise
      throw error
    }
  }

  async inspect<N extends Name>(name: N, roll?: Roll, options: InspectOptions = {}): Promise<Inspection<ValueOf<N>>> {
    expectInspect(options)
    const { explain = false } = options
    const found = await this.#find(name, { ...merged(this.#roll, roll), ...(explain && { explain }) })
    return inspectionOf(found) as Inspection<ValueOf<N>>
  }

  local(options: LocalOptions = {}): Promise<Local> {
    return startLocal(this.#shared, { stageRef: this.#stageRef, roll: this.#roll }, options)
  }

  async getMany<N extends Name>(names: readonly N[], roll?: Roll): Promise<{ readonly [K in N]: ValueOf<K> }> {
    const values = await Promise.all(names.map(async (name) => (await this.inspect(name, roll)).value))
    const byName = Object.create(null) as { [K in N]: ValueOf<K> }
    for (const [index, name] of names.entries()) byName[name] = values[index] as ValueOf<N>
    return byName
  }

  async pull(roll?: Roll): Promise<PullResult> {
    const answer = this.#connection.call('pull', { ...this.#wire, ...merged(this.#roll, roll) })
    const { variables, revision } = await expectExisting(this.#connection, this.#stageRef, answer)
    return { variables: Object.assign(Object.create(null) as object, variables), revision }
  }

  list(): Promise<Answer<'list'>> {
    return expectExisting(this.#connection, this.#stageRef, this.#connection.call('list', this.#wire))
  }

  manifest(): Promise<Answer<'manifest'>> {
    return expectExisting(this.#connection, this.#stageRef, this.#connection.call('manifest', this.#wire))
  }

  digests(): Promise<Answer<'digests'>> {
    return expectExisting(this.#connection, this.#stageRef, this.#connection.call('digests', this.#wire))
  }

  write({ mode = 'upsert', ...change }: Write): Promise<Answer<'write'>> {
    return this.#forgetStageAfter(this.#connection.call('write', { ...this.#wire, mode, ...change }))
  }

  update(updates: readonly VariableUpdate[], options: { ifRevision?: number } = {}): Promise<Answer<'update'>> {
    return this.#forgetStageAfter(this.#connection.call('update', { ...this.#wire, updates, ...options }))
  }

  stopRoll(name: string, options: { ifRevision?: number } = {}): Promise<Answer<'update'>> {
    return this.update([{ name, chance: 0, pins: null, rules: null }], options)
  }

  pins(name: string): Promise<Answer<'pins'>> {
    return this.#connection.call('pins', { ...this.#wire, name })
  }

  explain(name: string, roll?: Roll): Promise<Answer<'explain'>> {
    return this.#connection.call('explain', { ...this.#wire, name, ...merged(this.#roll, roll) })
  }

  copyFrom(
    from: Partial<Omit<StageRef, 'org'>>,
    names: readonly string[],
    options?: CopyOptions,
  ): Promise<Answer<'copy'>> {
    const { orgSlug, ...to } = this.#wire
    const { projectSlug, stageSlug } = onWire({ ...this.#stageRef, ...from })
    const request = { ...options, orgSlug, from: { projectSlug, stageSlug }, to, names }
    return this.#forgetStageAfter(this.#connection.call('copy', request))
  }

  history(options?: Omit<Request<'history'>, keyof WireStageRef>): Promise<Answer<'history'>> {
    return this.#connection.call('history', { ...options, ...this.#wire })
  }

  restore(revision: number, options?: RestoreOptions): Promise<Answer<'restore'>> {
    return this.#forgetStageAfter(this.#connection.call('restore', { ...options, ...this.#wire, revision }))
  }

  rollCounts(name: string, span?: { fromMs?: number; toMs?: number }): Promise<Answer<'rollCounts'>> {
    return this.#connection.call('rollCounts', { ...span, ...this.#wire, name })
  }

  projects(): Promise<Answer<'projects'>> {
    return this.#connection.call('projects', { orgSlug: this.#stageRef.org })
  }

  whoami(): Promise<Answer<'whoami'>> {
    return this.#connection.call('whoami', {})
  }

  get manage(): Management {
    return createManagement(this.#connection, this.#stageRef)
  }

  get tokens(): Client['tokens'] {
    const connection = this.#connection
    const orgSlug = this.#stageRef.org
    return {
      create: (token) => connection.call('tokenCreate', { ...token, orgSlug }),
      list: () => connection.call('tokenList', { orgSlug }),
      rotate: (id, options) => connection.call('tokenRotate', { ...options, orgSlug, id }),
      revoke: (id) => connection.call('tokenRevoke', { orgSlug, id }),
    }
  }

  get session(): Client['session'] {
    const connection = this.#connection
    return {
      show: () => connection.call('session', {}),
      end: (refreshToken) => connection.call('logout', { refreshToken }),
    }
  }

  for(roll: Roll): Client {
    return new StageClient(this.#shared, this.#stageRef, merged(this.#roll, roll))
  }

  at({
    org = this.#stageRef.org,
    project = this.#stageRef.project,
    stage = this.#stageRef.stage,
  }: Partial<StageRef>): Client {
    return new StageClient(this.#shared, { org, project, stage }, this.#roll)
  }

  watch(listener: (change: StageChange) => void, options: WatchOptions = {}): void {
    expectWatch(options)
    Watch.start(this.#shared, this.#stageRef, listener, options)
  }

  close(): void {
    this.#connection.close()
  }

  async #forgetStageAfter<Result extends { readonly revision: number }>(change: Promise<Result>): Promise<Result> {
    let revision: number | undefined
    try {
      const answer = await change
      revision = answer.revision
      return answer
    } finally {
      // Even a failed call may have written, if only its answer was lost.
      this.#shared.cache?.forget(this.#stageRef, revision)
    }
  }

  async #find(name: string, roll: AskedRoll): Promise<Lookup> {
    const { cache, batches } = this.#shared
    if (cache) return cache.find(this.#stageRef, name, roll)
    return { evaluated: await batches.evaluate(this.#stageRef, name, roll), source: 'service' }
  }
}

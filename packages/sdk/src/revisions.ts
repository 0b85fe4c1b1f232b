/** The revisions of stages, as the manifest reported them. A manifest request is not metered. */
import type { Connection } from './connection.ts'
import type { AskedRoll } from './roll.ts'
import { onWire } from './stage-ref.ts'
import type { StageRef } from './types.ts'
import type { Answer } from './wire.ts'

/** The last revision seen of one stage. */
export class StageRevision {
  readonly #connection: Connection
  readonly #stageRef: StageRef
  #revision: number | undefined
  #checkedAtMs = -Infinity
  #etag: string | undefined
  #checking: Promise<void> | undefined
  /** The manifest that was received last. */
  #manifest: Answer<'manifest'> | undefined
  /** The revision at which the rules were asked for. */
  #askedAt: number | undefined

  constructor(connection: Connection, stageRef: StageRef, revision?: number) {
    this.#connection = connection
    this.#stageRef = stageRef
    this.#revision = revision
  }

  /** The revision seen last. 0: the stage does not exist. Undefined: none was seen yet. */
  get revision(): number | undefined {
    return this.#revision
  }

  /** The names of the manifest that was received last; none if none was. */
  get names(): readonly string[] {
    return this.#manifest?.variables.map(({ name }) => name) ?? []
  }

  /** When the manifest was last requested. Unix time in milliseconds. */
  get checkedAtMs(): number {
    return this.#checkedAtMs
  }

  /** Requests the manifest. Concurrent calls share one request. Throws RollkeyError. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** Requests the manifest after a request in progress, whose answer may be older than this call. Throws RollkeyError. */
  async checkAfterwards(): Promise<void> {
    await this.#checking?.catch(() => undefined)
    await this.check()
  }

  /** Takes over a revision from elsewhere, which is newer than any request in progress. */
  advance(revision: number): void {
    this.#revision = revision
  }

  /**
   * Returns the roll with only those attributes of its context that targeting rules of the variable read, so that rolls with the
   * same decision are equal. Returns the whole roll while the rules are not known, and then asks for them. Never throws.
   */
  relevant(name: string, roll: AskedRoll): AskedRoll {
    const { context } = roll
    if (!context) return roll
    if (this.#manifest === undefined || this.#manifest.revision !== this.#revision) {
      this.#askForRules()
      return roll
    }
    const { rules = [] } = this.#manifest.variables.find((each) => each.name === name) ?? {}
    const read = new Set(rules.flatMap(({ when }) => Object.keys(when)))
    const known = [...read].toSorted().filter((attribute) => Object.hasOwn(context, attribute))
    return { ...roll, context: Object.fromEntries(known.map((attribute) => [attribute, context[attribute]])) }
  }

  /** Requests the manifest once for each revision. No caller waits for it, since it only makes the cache smaller. */
  #askForRules(): void {
    if (this.#askedAt === (this.#revision ?? -1)) return
    this.#askedAt = this.#revision ?? -1
    this.check().catch(() => undefined)
  }

  async #check(): Promise<void> {
    const startedAtMs = this.#connection.host.now()
    const before = this.#revision
    const changed = await this.#connection.ifChanged('manifest', onWire(this.#stageRef), this.#etag)
    if (changed && this.#revision === before) {
      this.#revision = changed.answer.revision
      this.#etag = changed.etag
      this.#manifest = changed.answer
    }
    this.#checkedAtMs = startedAtMs
  }
}

export class Revisions {
  readonly #connection: Connection
  readonly #stages = new Map<string, StageRevision>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  of(stageRef: StageRef): StageRevision {
    return this.#stages.get(keyOf(stageRef)) ?? this.renew(stageRef)
  }

  /** Replaces what is known of a stage, so that answers to requests in progress are recognized as older. */
  renew(stageRef: StageRef, revision?: number): StageRevision {
    const stage = new StageRevision(this.#connection, stageRef, revision)
    this.#stages.set(keyOf(stageRef), stage)
    return stage
  }
}

function keyOf({ org, project, stage }: StageRef): string {
  return JSON.stringify([org, project, stage])
}

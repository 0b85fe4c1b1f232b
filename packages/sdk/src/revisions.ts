/** The revisions of stages, as the manifest reported them. A manifest request is not metered. */
import type { Connection } from './connection.ts'
import { onWire } from './stage-ref.ts'
import type { StageRef } from './types.ts'

/** The last revision seen of one stage. */
export class StageRevision {
  readonly #connection: Connection
  readonly #place: StageRef
  #revision: number | undefined
  #checkedAtMs = -Infinity
  #etag: string | undefined
  #asking: Promise<void> | undefined

  constructor(connection: Connection, place: StageRef, revision?: number) {
    this.#connection = connection
    this.#place = place
    this.#revision = revision
  }

  /** The revision seen last. 0: the stage does not exist. Undefined: none was seen yet. */
  get revision(): number | undefined {
    return this.#revision
  }

  /** When the service was last asked. Unix time in milliseconds. */
  get checkedAtMs(): number {
    return this.#checkedAtMs
  }

  /** Asks the service. Concurrent calls share one request. Throws RollkeyError. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    const startedAtMs = this.#connection.host.now()
    const news = await this.#connection.manifest(onWire(this.#place), this.#etag)
    if (news) {
      this.#revision = news.answer.revision
      this.#etag = news.etag
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

  of(place: StageRef): StageRevision {
    return this.#stages.get(keyOf(place)) ?? this.renew(place)
  }

  /** Replaces what is known of a stage, so that answers to requests in progress are recognized as older. */
  renew(place: StageRef, revision?: number): StageRevision {
    const stage = new StageRevision(this.#connection, place, revision)
    this.#stages.set(keyOf(place), stage)
    return stage
  }
}

function keyOf({ org, project, stage }: StageRef): string {
  return JSON.stringify([org, project, stage])
}

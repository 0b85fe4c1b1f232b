/** Shares one stream of each project among all watches of a client. */
import type { Connection } from '../connection.ts'
import { onWire } from '../stage-ref.ts'
import type { StageRef } from '../types.ts'
import { doNotKeepAlive } from './keep-alive.ts'
import { ProjectEvents } from './project-events.ts'

/** Receives each revision of the stage (0: the stage does not exist), or undefined when there is no stream. */
type RevisionListener = (revision: number | undefined) => void

/** How long to poll before another attempt, if the reason does not pass by waiting: an older service, or a scope. */
const retryMs = 300_000

export class Streams {
  readonly #connection: Connection
  readonly #projects = new Map<string, ProjectStream>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Calls the listener, which must not throw, until the signal aborts. */
  subscribe(stageRef: StageRef, listener: RevisionListener, signal: AbortSignal): void {
    const key = JSON.stringify([stageRef.org, stageRef.project])
    const project = this.#projects.get(key) ?? new ProjectStream(this.#connection, stageRef)
    this.#projects.set(key, project)
    project.add(stageRef.stage, listener)
    signal.addEventListener('abort', () => {
      project.delete(listener)
      if (project.isIdle) this.#projects.delete(key)
    })
  }
}

class ProjectStream {
  readonly #connection: Connection
  readonly #events: ProjectEvents
  readonly #ending = new AbortController()
  /** Stages by their listeners. */
  readonly #listeners = new Map<RevisionListener, string>()
  /** Undefined while there is no stream. */
  #revisions: ReadonlyMap<string, number> | undefined

  constructor(connection: Connection, stageRef: StageRef) {
    const { orgSlug, projectSlug } = onWire(stageRef)
    this.#connection = connection
    this.#events = new ProjectEvents(connection, { orgSlug, projectSlug })
    void this.#follow()
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0
  }

  add(stage: string, listener: RevisionListener): void {
    this.#listeners.set(listener, stage)
    if (this.#revisions) listener(this.#revisions.get(stage) ?? 0)
  }

  delete(listener: RevisionListener): void {
    this.#listeners.delete(listener)
    if (this.isIdle) this.#ending.abort()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending
    const { host } = this.#connection
    doNotKeepAlive(this.#connection.url)
    while (!signal.aborted) {
      await this.#events
        .follow(
          {
            onEvents: (_, cursor) => this.#tell(revisionsOf(cursor)),
            onConnected: (isConnected) => isConnected || this.#tell(undefined),
          },
          signal,
        )
        .catch(() => undefined)
      await host.wait(retryMs, { signal, idle: true })
    }
  }

  #tell(revisions: ReadonlyMap<string, number> | undefined): void {
    this.#revisions = revisions
    for (const [listener, stage] of this.#listeners) listener(revisions && (revisions.get(stage) ?? 0))
  }
}

/** Parses a cursor such as `dev:12,prod:7`. */
function revisionsOf(cursor: string): ReadonlyMap<string, number> {
  return new Map(
    cursor.split(',').map((part) => {
      const colon = part.lastIndexOf(':')
      return [part.slice(0, colon), Number(part.slice(colon + 1))]
    }),
  )
}

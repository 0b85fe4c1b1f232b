/** Shares one stream of each project among all watches of a client. */
import type { Connection } from '../connection.ts'
import { onWire } from '../stage-ref.ts'
import type { StageRef } from '../types.ts'
import { doNotKeepAlive } from './keep-alive.ts'
import { ProjectEvents, type ChangeEvent } from './project-events.ts'

/** What a stream tells about a stage. */
export interface StreamedRevision {
  /** The revision. 0: the stage does not exist. Undefined: the stream is open, but does not say it, so the stage must be asked for. */
  readonly revision: number | undefined
  /** The names that changed since the revision `after`. Undefined if they are not known. */
  readonly names: readonly string[] | undefined
  readonly after: number
}

/** Receives each revision of the stage, and undefined when the stream ends and each time that it cannot be opened. */
type RevisionListener = (streamed: StreamedRevision | undefined) => void

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
  /** The revisions that the stream has told; undefined where it names none, because the project has many stages. */
  #revisions: ReadonlyMap<string, number> | undefined
  #isOpen = false

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
    if (!this.#isOpen) return
    const revision = this.#revisions && (this.#revisions.get(stage) ?? 0)
    listener({ revision, names: undefined, after: revision ?? 0 })
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
            onEvents: (events, cursor) => this.#tell(events, revisionsOf(cursor)),
            // The first that a listener hears of an open stream, and thus what it holds, is its position.
            onReset: () => (this.#isOpen = false),
            onConnected: (isConnected) => isConnected || this.#tellEnd(),
          },
          signal,
        )
        .catch(() => undefined)
      await host.wait(retryMs, { signal, idle: true })
    }
  }

  #tell(events: readonly ChangeEvent[], revisions: ReadonlyMap<string, number> | undefined): void {
    const before = this.#revisions
    const isOpening = !this.#isOpen
    this.#revisions = revisions
    this.#isOpen = true
    for (const [listener, stage] of this.#listeners) {
      const own = events.filter(({ stageSlug }) => stageSlug === stage)
      const revision = revisions ? (revisions.get(stage) ?? 0) : own.at(-1)?.revision
      const after = before?.get(stage) ?? (own[0]?.revision ?? 1) - 1
      if (isOpening || revision !== undefined) listener({ revision, names: namesOf(own), after })
    }
  }

  #tellEnd(): void {
    this.#isOpen = false
    for (const listener of this.#listeners.keys()) listener(undefined)
  }
}

/** Returns the names that events of a stage changed, or undefined if one of them does not say. */
function namesOf(events: readonly ChangeEvent[]): string[] | undefined {
  if (events.length === 0 || events.some(({ names }) => !names)) return undefined
  return [...new Set(events.flatMap(({ names = [] }) => names))]
}

/** The cursor of a project with many stages: a digest of its revisions. */
const digest = /^[0-9a-f]{64}!:\d+$/

/** Parses a cursor such as `dev:12,prod:7`. Returns undefined for one that names no revisions. */
function revisionsOf(cursor: string): ReadonlyMap<string, number> | undefined {
  if (digest.test(cursor)) return undefined
  return new Map(
    cursor.split(',').map((part) => {
      const colon = part.lastIndexOf(':')
      return [part.slice(0, colon), Number(part.slice(colon + 1))]
    }),
  )
}

/** Where a replica is. */
import type { Readable } from 'node:stream'

/** Bytes that can be read more than once. */
export interface Content {
  readonly bytes: number
  open(): Readable
}

/** Object storage with few promises: an object appears completely or not at all, and names sort by their bytes. */
export interface ReplicaTarget {
  /** Returns the names that begin with the prefix and come after `after`, in ascending order, and the sizes of the objects. */
  list(prefix: string, after?: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>
  /** Returns the object, or undefined if there is none. */
  get(name: string): Promise<Readable | undefined>
  /** Stores an object, or replaces it. */
  put(name: string, content: Content): Promise<void>
  /** Stores an object unless there is one with its name. Returns whether it was stored. */
  create(name: string, content: Content): Promise<boolean>
  remove(name: string): Promise<void>
}

/** An error about a replica. Its message is shown to the operator. */
export class BadReplica extends Error {}

/**
 * Hashes passwords with scrypt in threads of a lower priority than the event loop. The threads of libuv would have the same
 * priority as the event loop, and file syncs would wait for them.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import { threadUrl } from '../base/shipped-files.ts'
import { startThread } from '../base/threads.ts'
import type { ScryptInput } from './scrypt-thread.ts'

/** The interface through which the identity provider hashes passwords. */
export interface PasswordHasher {
  /** Returns the text to store, `salt:key`. */
  hash(password: string): Promise<string>
  /** Returns whether the password matches the hash. */
  verify(given: { readonly hash: string; readonly password: string }): Promise<boolean>
  /** Stops all threads. Hashes that are still being computed fail. */
  close(): Promise<void>
}

/** Thrown if no thread could hash the password. It omits the message of the cause, which could quote a password. */
export class HashingFailed extends Error {
  readonly code: string | undefined

  constructor(cause: unknown) {
    super('the password could not be hashed')
    this.code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  }
}

const saltBytes = 16

/**
 * A hasher that is compatible with better-auth, so that each verifies the hashes of the other. It starts a thread when none is
 * idle, so there are as many threads as concurrent hashes. A thread that dies fails its hash, and the next hash starts another.
 */
export class ScryptHasher implements PasswordHasher {
  readonly #threads = new Set<Worker>()
  readonly #idle: Worker[] = []
  readonly #threadFile: URL

  constructor(threadFile = threadUrl(new URL('./scrypt-thread.ts', import.meta.url))) {
    this.#threadFile = threadFile
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes).toString('hex')
    return `${salt}:${await this.#key({ password, salt })}`
  }

  /** Returns whether the password matches the hash. Throws an error if the hash has another format. */
  async verify({ hash, password }: { readonly hash: string; readonly password: string }): Promise<boolean> {
    const [salt, key] = hash.split(':')
    if (!salt || !key) throw new Error('invalid password hash (expected salt:key)')
    const expected = Buffer.from(key)
    const actual = Buffer.from(await this.#key({ password, salt }))
    return expected.length === actual.length && timingSafeEqual(expected, actual)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  /** Derives a key in a thread. Throws HashingFailed. */
  async #key(input: ScryptInput): Promise<string> {
    let thread: Worker | undefined
    try {
      thread = this.#idle.pop() ?? this.#start()
      const key = await answerOf(thread, input)
      // The thread may have ended right after its answer.
      if (this.#threads.has(thread)) this.#idle.push(thread)
      return key
    } catch (error) {
      await thread?.terminate()
      throw new HashingFailed(error)
    }
  }

  #start(): Worker {
    const thread = startThread(this.#threadFile, 'scrypt')
    this.#threads.add(thread)
    thread.unref()
    thread.on('error', () => {})
    thread.on('exit', () => {
      this.#threads.delete(thread)
      const index = this.#idle.indexOf(thread)
      if (index >= 0) this.#idle.splice(index, 1)
    })
    return thread
  }
}

/** Returns the key that the thread derives. Keeps the process alive until then; an idle thread does not. */
async function answerOf(thread: Worker, input: ScryptInput): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const ended = (): void => reject(new Error('the thread has ended'))
  thread.once('message', resolve).once('error', reject).once('exit', ended)
  thread.ref()
  try {
    thread.postMessage(input)
    return await promise
  } finally {
    thread.unref()
    thread.off('message', resolve).off('error', reject).off('exit', ended)
  }
}

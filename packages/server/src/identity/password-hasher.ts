/**
 * How passwords are hashed: by scrypt, in threads of a lower priority than the event loop. The threads of libuv would have the same
 * priority, and syncing files would wait for them.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { ScryptInput } from './scrypt-thread.ts'

/** The port that the identity provider hashes passwords through. */
export interface PasswordHasher {
  /** Returns the text to store, `salt:key`. */
  hash(password: string): Promise<string>
  /** Returns whether the password is the one that was hashed. */
  verify(given: { readonly hash: string; readonly password: string }): Promise<boolean>
  /** Ends what the hasher runs. What it still computes fails. */
  close(): Promise<void>
}

/** No thread could hash the password. Carries no text of the cause, which could quote a password. */
export class HashingFailed extends Error {
  readonly code: string | undefined

  constructor(cause: unknown) {
    super('the password could not be hashed')
    this.code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  }
}

const saltBytes = 16

/**
 * Hashes as better-auth does and in its format, so that each reads what the other stored. Starts a thread when none is idle, so
 * there are as many as the caller hashes at once. A thread that dies fails its hash, and the next hash starts another one.
 */
export class ScryptHasher implements PasswordHasher {
  readonly #threads = new Set<Worker>()
  readonly #idle: Worker[] = []
  readonly #threadFile: URL

  constructor(threadFile = new URL('./scrypt-thread.ts', import.meta.url)) {
    this.#threadFile = threadFile
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes).toString('hex')
    return `${salt}:${await this.#key({ password, salt })}`
  }

  /** Throws an error if the hash is not one of ours. */
  async verify({ hash, password }: { readonly hash: string; readonly password: string }): Promise<boolean> {
    const [salt, key] = hash.split(':')
    if (!salt || !key) throw new Error('invalid password hash (expected salt:key)')
    const right = Buffer.from(key)
    const given = Buffer.from(await this.#key({ password, salt }))
    return right.length === given.length && timingSafeEqual(right, given)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  /** Throws HashingFailed. */
  async #key(input: ScryptInput): Promise<string> {
    let thread: Worker | undefined
    try {
      thread = this.#idle.pop() ?? this.#start()
      const key = await answerOf(thread, input)
      // It may have ended right after the answer.
      if (this.#threads.has(thread)) this.#idle.push(thread)
      return key
    } catch (error) {
      await thread?.terminate()
      throw new HashingFailed(error)
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#threadFile, { env: threadEnvironment(), execArgv: [], name: 'scrypt' })
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

/** Leaves out the master key. With the cache of compiled code, a thread takes 12 MiB instead of 22. */
function threadEnvironment(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** Keeps the process while the hash is computed; an idle thread does not. */
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

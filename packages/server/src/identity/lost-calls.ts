/**
 * Notices that the database was lost while the library answered a request. The library takes some errors of its database for
 * "not signed in", and others for its own faults; both send people to a page that cannot help them.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DBAdapter, DBTransactionAdapter } from 'better-auth/adapters'
import { StoreUnavailable } from '../base/api-error.ts'

type Call = (...args: unknown[]) => Promise<unknown>

export class LostCalls {
  readonly #isLost: (error: unknown) => boolean
  /** The errors of a request, the first one first. */
  readonly #errors = new AsyncLocalStorage<unknown[]>()

  constructor(isLost: (error: unknown) => boolean) {
    this.#isLost = isLost
  }

  /** The adapter, whose calls are watched. */
  watch(inner: DBAdapter): DBAdapter {
    return { ...this.#calls(inner), transaction: (work) => inner.transaction((tx) => work(this.#calls(tx))) }
  }

  /** Throws StoreUnavailable if the database was lost while it ran, whatever the work made of it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const errors: unknown[] = []
    const [done] = await Promise.allSettled([this.#errors.run(errors, work)])
    if (done.status === 'rejected' && this.#isLost(done.reason)) errors.push(done.reason)
    if (errors.length > 0) {
      const [cause] = errors
      throw new StoreUnavailable('The database of the identity provider cannot be used at the moment.', { cause })
    }
    if (done.status === 'rejected') throw done.reason
    return done.value
  }

  #calls<Adapter extends DBTransactionAdapter>(inner: Adapter): Adapter {
    const calls = Object.entries(inner).map(([name, call]) => [
      name,
      typeof call === 'function' ? this.#noting(call.bind(inner) as Call) : call,
    ])
    return Object.fromEntries(calls) as Adapter
  }

  #noting(call: Call): Call {
    return async (...args) => {
      try {
        return await call(...args)
      } catch (error) {
        if (this.#isLost(error)) this.#errors.getStore()?.push(error)
        throw error
      }
    }
  }
}

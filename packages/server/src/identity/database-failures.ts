/**
 * Detects that the database became unavailable while the library answered a request. The library reports some database errors as
 * "not signed in" and others as internal errors. Both lead people to a page that cannot help them.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DBAdapter, DBTransactionAdapter } from 'better-auth/adapters'
import { StoreUnavailable } from '../base/api-error.ts'

type Call = (...args: unknown[]) => Promise<unknown>

export class DatabaseFailures {
  readonly #isFailure: (error: unknown) => boolean
  /** The errors of a request, oldest first. */
  readonly #errors = new AsyncLocalStorage<unknown[]>()

  constructor(isFailure: (error: unknown) => boolean) {
    this.#isFailure = isFailure
  }

  /** Returns the adapter with calls that record lost database connections. */
  watch(inner: DBAdapter): DBAdapter {
    return {
      ...this.#recordingAdapter(inner),
      transaction: (work) => inner.transaction((tx) => work(this.#recordingAdapter(tx))),
    }
  }

  /** Runs the work. Throws StoreUnavailable if the database was lost during it, even if the work handled that error. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const errors: unknown[] = []
    const [result] = await Promise.allSettled([this.#errors.run(errors, work)])
    if (result.status === 'rejected' && this.#isFailure(result.reason)) errors.push(result.reason)
    if (errors.length > 0) {
      const [cause] = errors
      throw new StoreUnavailable('The database of the identity provider is unavailable.', { cause })
    }
    if (result.status === 'rejected') throw result.reason
    return result.value
  }

  #recordingAdapter<Adapter extends DBTransactionAdapter>(inner: Adapter): Adapter {
    const calls = Object.entries(inner).map(([name, call]) => [
      name,
      typeof call === 'function' ? this.#recording(call.bind(inner) as Call) : call,
    ])
    return Object.fromEntries(calls) as Adapter
  }

  #recording(call: Call): Call {
    return async (...args) => {
      try {
        return await call(...args)
      } catch (error) {
        if (this.#isFailure(error)) this.#errors.getStore()?.push(error)
        throw error
      }
    }
  }
}

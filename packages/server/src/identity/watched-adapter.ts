/**
 * The library's database adapter, which tells of each change before it is made. The library's own hooks would do for a part of
 * them: leaving an organization, passkeys and links for passwords have none, and some do not say who asked.
 */
import { generateId } from '@better-auth/core/utils/id'
import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/adapters'

export type Row = Readonly<Record<string, unknown>>

export interface Change {
  /** The model and what is done to it, such as `member delete`. */
  readonly what: string
  /** What is written. */
  readonly data: Row
  /** Those that it is written over; of something new itself. */
  readonly rows: () => Promise<readonly Row[]>
}

/** Throws, and the change is not made. */
export type BeforeChange = (change: Change) => Promise<void>

function watchedCalls(inner: DBTransactionAdapter, before: BeforeChange): DBTransactionAdapter {
  const found = (model: string, where: Where[]) => () => inner.findMany<Row>({ model, where })
  return {
    ...inner,
    async create(asked) {
      // The id is made here, so that what is noted can name it.
      const data = { id: generateId(), ...asked.data }
      await before({ what: `${asked.model} create`, data, rows: async () => [data] })
      return inner.create({ ...asked, data, forceAllowId: true })
    },
    async update(asked) {
      await before({ what: `${asked.model} update`, data: asked.update, rows: found(asked.model, asked.where) })
      return inner.update(asked)
    },
    async updateMany(asked) {
      await before({ what: `${asked.model} update`, data: asked.update, rows: found(asked.model, asked.where) })
      return inner.updateMany(asked)
    },
    async incrementOne(asked) {
      await before({ what: `${asked.model} update`, data: asked.set ?? {}, rows: found(asked.model, asked.where) })
      return inner.incrementOne(asked)
    },
    async delete(asked) {
      await before({ what: `${asked.model} delete`, data: {}, rows: found(asked.model, asked.where) })
      return inner.delete(asked)
    },
    async deleteMany(asked) {
      await before({ what: `${asked.model} delete`, data: {}, rows: found(asked.model, asked.where) })
      return inner.deleteMany(asked)
    },
  }
}

export function watched(inner: DBAdapter, before: BeforeChange): DBAdapter {
  return {
    ...watchedCalls(inner, before),
    transaction: (work) => inner.transaction((tx) => work(watchedCalls(tx, before))),
  }
}

/**
 * Wraps the library's database adapter to report each change before it is made. The library's own hooks cover only some changes:
 * leaving an organization, passkeys and password links have none, and some hooks do not name the person who acts.
 */
import { generateId } from '@better-auth/core/utils/id'
import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/adapters'

export type Row = Readonly<Record<string, unknown>>

export interface Change {
  /** The model and the operation, such as `member delete`. */
  readonly what: string
  /** The fields that are written. */
  readonly data: Row
  /** Returns the rows that the change affects. For a new row: that row. */
  readonly rows: () => Promise<readonly Row[]>
}

/** Called before a change. If it throws, the change is not made. */
export type BeforeChange = (change: Change) => Promise<void>

function watchedCalls(inner: DBTransactionAdapter, before: BeforeChange): DBTransactionAdapter {
  const found = (model: string, where: Where[]) => () => inner.findMany<Row>({ model, where })
  return {
    ...inner,
    async create(asked) {
      // The id is generated here, so that the audit entry can name it.
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

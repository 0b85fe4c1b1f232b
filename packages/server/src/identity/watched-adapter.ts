/**
 * Wraps the library's database adapter to report each change before it is made. The library's own hooks cover only some changes:
 * leaving an organization, passkeys and password links have none, and some hooks do not name the person who acts.
 */
import { generateId } from '@better-auth/core/utils/id'
import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/adapters'

export type Row = Readonly<Record<string, unknown>>

export interface Change {
  /** The model and the operation, such as `member delete`. */
  readonly operation: string
  /** The fields that are written. */
  readonly data: Row
  /** Returns the rows that the change affects. For a new row: that row. */
  readonly rows: () => Promise<readonly Row[]>
}

/** Called before a change. Returns the fields to write. If it throws, the change is not made. */
export type BeforeChange = (change: Change) => Promise<Row>

function watchedCalls(inner: DBTransactionAdapter, before: BeforeChange): DBTransactionAdapter {
  const affectedRows = (model: string, where: Where[]) => () => inner.findMany<Row>({ model, where })
  const beforeUpdate = ({ model, where }: { model: string; where: Where[] }, data: Row): Promise<Row> =>
    before({ operation: `${model} update`, data, rows: affectedRows(model, where) })
  return {
    ...inner,
    async create(input) {
      // The id is generated here, so that the audit entry can name it.
      const data = { id: generateId(), ...input.data }
      await before({ operation: `${input.model} create`, data, rows: async () => [data] })
      return inner.create({ ...input, data, forceAllowId: true })
    },
    async update(input) {
      return inner.update({ ...input, update: await beforeUpdate(input, input.update) })
    },
    async updateMany(input) {
      return inner.updateMany({ ...input, update: await beforeUpdate(input, input.update) })
    },
    async incrementOne(input) {
      await beforeUpdate(input, input.set ?? {})
      return inner.incrementOne(input)
    },
    async delete(input) {
      await before({ operation: `${input.model} delete`, data: {}, rows: affectedRows(input.model, input.where) })
      return inner.delete(input)
    },
    async deleteMany(input) {
      await before({ operation: `${input.model} delete`, data: {}, rows: affectedRows(input.model, input.where) })
      return inner.deleteMany(input)
    },
  }
}

export function watched(inner: DBAdapter, before: BeforeChange): DBAdapter {
  return {
    ...watchedCalls(inner, before),
    transaction: (work) => inner.transaction((tx) => work(watchedCalls(tx, before))),
  }
}

/** Spans of statements. Their names are the first words of the text, which is a text of the source: values are parameters. */
import type { Reader, Sql, Tx } from '../storage/sql.ts'
import type { Tracer } from './tracer.ts'

const write = /\b(insert|delete|update)\s+(?:into\s+|from\s+)?"?(\w+)/i
const read = /\b(select)\b.*?\bfrom\s+"?(\w+)/is

/** Returns what a statement does and to which table, such as `select variables`. */
export function statementName(text: string): string {
  // A select can end with `for update`.
  const [, verb = 'statement', table] =
    (/^\s*select/i.test(text) ? undefined : write.exec(text)) ?? read.exec(text) ?? []
  return table === undefined ? verb : `${verb} ${table}`
}

/** Returns the store whose statements and transactions have spans within requests. */
export function tracedSql(sql: Sql, tracer: Tracer, system: 'sqlite' | 'postgresql'): Sql {
  const spanOf = (name: string) => ({ name, kind: 'client', attributes: { 'db.system.name': system } }) as const
  const allOf =
    (reader: Reader): Reader['all'] =>
    (text, ...params) =>
      tracer.within(spanOf(statementName(text)), () => reader.all(text, ...params))
  const traced = (tx: Tx): Tx => ({
    all: allOf(tx),
    script: (text) => tx.script(text),
    ...(tx.guard !== undefined && { guard: tx.guard }),
    ...(tx.assertAuditOpen && { assertAuditOpen: tx.assertAuditOpen }),
  })
  const transaction = spanOf('transaction')
  return {
    all: allOf(sql),
    tx: (work, durability) => tracer.within(transaction, () => sql.tx((tx) => work(traced(tx)), durability)),
    atOnce: (send, durability) => tracer.within(transaction, () => sql.atOnce(send, durability)),
    alone: (work) => sql.alone(work),
    close: () => sql.close(),
  }
}

/** Reads an audit log for verification and export: each entry, followed by the checkpoints that cover the log up to it. */
import { setImmediate } from 'node:timers/promises'
import { checkpointsOf, entriesBetween, type ChainedRow } from '../storage/audit-chain.ts'
import type { Reader } from '../storage/sql.ts'
import type { Checkpoint } from './checkpoint.ts'

export type AuditRecord = { readonly entry: ChainedRow } | { readonly checkpoint: Checkpoint }

const pageSize = 500

export async function storedCheckpoints(sql: Reader, orgId: string): Promise<Checkpoint[]> {
  return (await checkpointsOf(sql, orgId)).map((row) => ({
    orgId,
    seq: row.seq,
    chainedFrom: row.chained_from,
    atMs: row.at_ms,
    chain: row.chain,
    signature: row.signature,
  }))
}

/** Yields the entries after one number and up to another. A checkpoint whose entry is missing appears in its place. */
export async function* recordsBetween(
  sql: Reader,
  orgId: string,
  { after, upTo, checkpoints }: { after: number; upTo: number; checkpoints: readonly Checkpoint[] },
): AsyncGenerator<AuditRecord> {
  const waiting = checkpoints.filter(({ seq }) => seq > after).toSorted((a, b) => b.seq - a.seq)
  for (let last = after, isMore = true; isMore;) {
    const entries = await entriesBetween(sql, orgId, last, upTo, pageSize)
    for (const entry of entries) {
      for (let next = waiting.at(-1); next && next.seq < entry.seq; next = waiting.at(-1)) {
        waiting.pop()
        yield { checkpoint: next }
      }
      yield { entry }
      last = entry.seq
    }
    isMore = entries.length === pageSize
    // The embedded store answers synchronously: without a pause the server could not serve anything else.
    await setImmediate()
  }
  for (const checkpoint of waiting.toReversed()) yield { checkpoint }
}

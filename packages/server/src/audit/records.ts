/** An audit log as it is verified and exported: its entries, and after each the checkpoints that were made of it. */
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

/** The entries after a number and up to another; a checkpoint whose entry is missing comes where that would be. */
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
    // The embedded store answers at once: without a pause nothing else would be served meanwhile.
    await setImmediate()
  }
  for (const checkpoint of waiting.toReversed()) yield { checkpoint }
}

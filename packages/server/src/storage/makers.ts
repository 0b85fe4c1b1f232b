/** The people who can act as a service token or a trust: who made it, and who could have replaced how it proves itself. */
import { pickedRows } from './picked.ts'
import type { Reader, Tx } from './sql.ts'

/** The makers of service tokens and trusts by their ids, without those that have none or are people. */
export type Makers = ReadonlyMap<string, readonly string[]>

/**
 * Returns the makers of at most `maxPicked` service tokens and trusts: the creator, who rotated a token to a secret that works at `nowMs`,
 * and who ever changed what a trust accepts. Of those that were deleted it knows none.
 */
export async function makersOf(sql: Reader, ids: readonly string[], nowMs: number): Promise<Makers> {
  const machines = ids.filter((id) => id.startsWith('tok_') || id.startsWith('tru_'))
  if (machines.length === 0) return new Map()
  const { text, params } = pickedRows(
    { id: 'text' },
    machines.map((id) => [id]),
  )
  const rows = await sql.all<{ id: string; user_id: string }>(
    `${text} select picked.id, v.created_by as user_id from picked cross join service_tokens v where v.session_id = picked.id
     union select picked.id, t.made_by from picked cross join access_tokens t
       where t.session_id = picked.id and t.made_by is not null and t.expires_at_ms > cast($${params.length + 1} as bigint)
         and exists (select 1 from sessions s where s.id = t.session_id and s.revoked_at_ms is null)
     union select picked.id, r.created_by from picked cross join trusts r where r.id = picked.id
     union select picked.id, m.user_id from picked cross join trust_makers m where m.trust_id = picked.id`,
    ...params,
    nowMs,
  )
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, all]) => [id, all.map(({ user_id }) => user_id)]))
}

/** Records that a person changed what a trust accepts. */
export async function addTrustMaker(tx: Tx, trustId: string, userId: string): Promise<void> {
  await tx.all('insert into trust_makers (trust_id, user_id) values ($1, $2) on conflict do nothing', trustId, userId)
}

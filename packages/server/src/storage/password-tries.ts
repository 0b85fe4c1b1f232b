import { deleteSomeBefore } from './paged-deletion.ts'
import type { Reader, Tx } from './sql.ts'

/**
 * Counts a password attempt. Returns how many there are now, or undefined if the account accepts none at this time. Locks
 * the account's row until the transaction ends.
 */
export async function countPasswordTry(tx: Tx, account: string, nowMs: number): Promise<number | undefined> {
  const [row] = await tx.all<{ tries: number }>(
    `insert into password_tries (account, tries, open_at_ms, tried_at_ms) values ($1, 1, $2, $2)
     on conflict (account) do update set tries = password_tries.tries + 1, tried_at_ms = excluded.tried_at_ms
     where password_tries.open_at_ms <= excluded.tried_at_ms returning tries`,
    account,
    nowMs,
  )
  return row?.tries
}

/** Refuses attempts for the account until a time. */
export async function closePasswordTries(tx: Tx, account: string, openAtMs: number): Promise<void> {
  await tx.all('update password_tries set open_at_ms = $2 where account = $1', account, openAtMs)
}

/** Returns when the account accepts attempts again; undefined if no attempts are counted. */
export async function passwordTriesOpenAt(sql: Reader, account: string): Promise<number | undefined> {
  const [row] = await sql.all<{ open_at_ms: number }>(
    'select open_at_ms from password_tries where account = $1',
    account,
  )
  return row?.open_at_ms
}

export async function deletePasswordTries(tx: Tx, account: string): Promise<void> {
  await tx.all('delete from password_tries where account = $1', account)
}

export function deletePasswordTriesBefore(tx: Tx, beforeMs: number): Promise<boolean> {
  return deleteSomeBefore(tx, { table: 'password_tries', keys: { account: 'text' }, time: 'tried_at_ms' }, beforeMs)
}

import type { MachineRole } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { deleteSomeBefore } from './paged-deletion.ts'
import { maxPicked, pickedRows } from './picked.ts'
import { tokenRole } from './service-tokens.ts'
import { first, type Reader, type Tx, type Value } from './sql.ts'

export interface SessionRow {
  readonly id: string
  readonly org_id: string
  readonly org_slug: string
  /** The organization's id at the OpenID provider. */
  readonly idp_org_id: string
  readonly user_id: string
  readonly last_used_at_ms: number
  readonly member_seen_at_ms: number
  readonly confirmed_at_ms: number | null
  readonly version: number
  readonly revoked_at_ms: number | null
}

const sessionColumns = `s.id, s.org_id, o.slug as org_slug, o.idp_org_id, s.user_id, s.last_used_at_ms,
  s.member_seen_at_ms, s.confirmed_at_ms, s.version, s.revoked_at_ms`

export type RevocationReason = 'logout' | 'removed member' | 'refresh token used twice' | 'revoked' | 'restored'

export interface AccessRow extends SessionRow {
  readonly hash: string
  readonly expires_at_ms: number
  /** Name of the client, of the service token or of the trust. */
  readonly name: string | null
  readonly project_slug: string | null
  readonly stage_slug: string | null
  /** Null unless it is a service token or the token of a trust. */
  readonly role: MachineRole | null
  /** 0 or 1 for a service token or the token of a trust. */
  readonly history: number | null
  /** The trust of an exchanged token. */
  readonly trust_id: string | null
  /** The origins of a client key, as JSON; null for other credentials. */
  readonly origins: string | null
  /** The evaluations per month of a client key that has its own limit. */
  readonly evaluations_per_month: number | null
}

const accessRows = `select ${sessionColumns}, t.hash, t.expires_at_ms, coalesce(v.name, k.name, s.client_name) as name,
    coalesce(v.project_slug, k.project_slug) as project_slug, coalesce(v.stage_slug, k.stage_slug) as stage_slug,
    ${tokenRole}, v.history, v.trust_id, k.origins, k.evaluations_per_month
  from access_tokens t join sessions s on s.id = t.session_id join organizations o on o.id = s.org_id
    left join service_tokens v on v.session_id = s.id left join client_keys k on k.session_id = s.id`

/** Returns the session of an access token, a service token or a client key, in any state. */
export function sessionByAccessToken(sql: Reader, hash: string): Promise<AccessRow | undefined> {
  return first(sql.all(`${accessRows} where t.hash = $1`, hash))
}

/** Returns a session once for each of its access tokens, in any state. */
export function sessionWithAccessTokens(sql: Reader, id: string): Promise<AccessRow[]> {
  return sql.all(`${accessRows} where t.session_id = $1`, id)
}

export interface RefreshRow extends SessionRow {
  readonly client_name: string | null
  readonly expires_at_ms: number
  readonly used_at_ms: number | null
}

/** Returns the session of a refresh token, in any state of either. */
export function sessionByRefreshToken(sql: Reader, hash: string): Promise<RefreshRow | undefined> {
  return first(
    sql.all(
      `select ${sessionColumns}, s.client_name, t.expires_at_ms, t.used_at_ms
       from refresh_tokens t join sessions s on s.id = t.session_id join organizations o on o.id = s.org_id
       where t.hash = $1`,
      hash,
    ),
  )
}

export interface LiveSession {
  readonly id: string
  readonly user_id: string
  readonly client_name: string | null
  readonly created_at_ms: number
  readonly last_used_at_ms: number
  readonly refresh_expires_at_ms: number
}

/** Sessions that a statement about those of an organization looks at. Most can be those of exchanged tokens. */
const sessionsPerStatement = 500

/** Returns the command-line sessions of an organization that can be refreshed at `nowMs`, or only one, or those of one user. */
export async function liveSessions(
  sql: Reader,
  orgId: string,
  { id, userId }: { readonly id?: string; readonly userId?: string },
  nowMs: number,
): Promise<LiveSession[]> {
  const live = (condition: string, ...params: Value[]): Promise<LiveSession[]> =>
    sql.all(
      `select s.id, s.user_id, s.client_name, s.created_at_ms, s.last_used_at_ms,
         t.expires_at_ms as refresh_expires_at_ms
       from sessions s cross join refresh_tokens t
       where s.org_id = $1 and ${condition} and s.revoked_at_ms is null
         and t.session_id = s.id and t.used_at_ms is null and t.expires_at_ms > $2`,
      orgId,
      nowMs,
      ...params,
    )
  if (id !== undefined) return live('s.id = $3 and s.user_id = coalesce($4, s.user_id)', id, userId ?? null)
  if (userId !== undefined) return live('s.user_id = $3', userId)
  const found: LiveSession[] = []
  const slices = new TimeSlices()
  for (let after: string | undefined = ''; after !== undefined;) {
    const [last]: { id: string }[] = await sql.all(
      'select id from sessions where org_id = $1 and id > $2 order by id limit 1 offset $3',
      orgId,
      after,
      sessionsPerStatement - 1,
    )
    found.push(...(await (last ? live('s.id > $3 and s.id <= $4', after, last.id) : live('s.id > $3', after))))
    after = last?.id
    if (slices.isOver) await slices.next()
  }
  return found
}

/** Locks a session, and lets no node use what it has of it in memory. Returns false if it was revoked. */
export async function changeSession(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all(
    'update sessions set version = version + 1 where id = $1 and revoked_at_ms is null returning id',
    id,
  )
  return rows.length === 1
}

/** Ends the access tokens of a session at a time, unless they end earlier. */
export async function capAccessTokens(tx: Tx, sessionId: string, expiresAtMs: number): Promise<void> {
  await tx.all(
    'update access_tokens set expires_at_ms = $2 where session_id = $1 and expires_at_ms > $2',
    sessionId,
    expiresAtMs,
  )
}

/** Records when a person confirmed a command-line session of theirs. Returns false if they have no such active session. */
export async function confirmSession(
  tx: Tx,
  { orgId, userId, id }: { orgId: string; userId: string; id: string },
  confirmedAtMs: number,
): Promise<boolean> {
  const rows = await tx.all(
    `update sessions set confirmed_at_ms = $4, version = version + 1
     where id = $1 and org_id = $2 and user_id = $3 and revoked_at_ms is null returning id`,
    id,
    orgId,
    userId,
    confirmedAtMs,
  )
  return rows.length === 1
}

/** Returns when the session's unused refresh token expires. */
export async function refreshTokenExpiry(sql: Reader, sessionId: string): Promise<number | undefined> {
  const row = await first(
    sql.all<{ expires_at_ms: number }>(
      'select expires_at_ms from refresh_tokens where session_id = $1 and used_at_ms is null',
      sessionId,
    ),
  )
  return row?.expires_at_ms
}

export interface NewSession {
  readonly id: string
  readonly orgId: string
  readonly userId: string
  readonly clientName: string | null
  readonly nowMs: number
  readonly memberSeenAtMs: number
}

export async function insertSession(tx: Tx, row: NewSession): Promise<void> {
  await tx.all(
    `insert into sessions (id, org_id, user_id, client_name, created_at_ms, last_used_at_ms, member_seen_at_ms)
     values ($1, $2, $3, $4, $5, $5, $6)`,
    row.id,
    row.orgId,
    row.userId,
    row.clientName,
    row.nowMs,
    row.memberSeenAtMs,
  )
}

interface NewToken {
  readonly hash: string
  readonly expiresAtMs: number
  /** Who rotated a service token to it. */
  readonly madeBy?: string
}

export async function insertAccessToken(
  tx: Tx,
  sessionId: string,
  { hash, expiresAtMs, madeBy }: NewToken,
): Promise<void> {
  await tx.all(
    'insert into access_tokens (hash, session_id, expires_at_ms, made_by) values ($1, $2, $3, $4)',
    hash,
    sessionId,
    expiresAtMs,
    madeBy ?? null,
  )
}

export async function insertTokenPair(tx: Tx, sessionId: string, access: NewToken, refresh: NewToken): Promise<void> {
  await insertAccessToken(tx, sessionId, access)
  await tx.all(
    'insert into refresh_tokens (hash, session_id, expires_at_ms) values ($1, $2, $3)',
    refresh.hash,
    sessionId,
    refresh.expiresAtMs,
  )
}

/**
 * Spends a refresh token. Returns true for exactly one of many callers. Writes the session's row first, so that a
 * concurrent logout and refresh wait for each other on every engine.
 */
export async function useRefreshToken(tx: Tx, hash: string, sessionId: string, nowMs: number): Promise<boolean> {
  const live = await tx.all(
    'update sessions set member_seen_at_ms = $2 where id = $1 and revoked_at_ms is null returning id',
    sessionId,
    nowMs,
  )
  if (live.length === 0) return false
  const used = await tx.all(
    'update refresh_tokens set used_at_ms = $2 where hash = $1 and used_at_ms is null and expires_at_ms > $2 returning hash',
    hash,
    nowMs,
  )
  return used.length === 1
}

/** Revokes a session permanently. Returns true for exactly one of many callers. */
export async function revokeSession(
  tx: Tx,
  sessionId: string,
  nowMs: number,
  reason: RevocationReason,
): Promise<boolean> {
  const rows = await tx.all(
    'update sessions set revoked_at_ms = $2, revoked_because = $3 where id = $1 and revoked_at_ms is null returning id',
    sessionId,
    nowMs,
    reason,
  )
  return rows.length === 1
}

export interface EndedSession {
  readonly id: string
  readonly org_id: string
}

/** Condition on a user's command-line session that can be refreshed at $2. A service token has no refresh token. */
const isLiveOfUser = `user_id = $1 and revoked_at_ms is null and exists (select 1 from refresh_tokens t
  where t.session_id = sessions.id and t.used_at_ms is null and t.expires_at_ms > $2)`

/** Counts the sessions of a user's command-line clients, in all organizations. */
export async function countSessionsOf(sql: Reader, userId: string, nowMs: number): Promise<number> {
  const rows = await sql.all<{ count: number }>(
    `select cast(count(*) as bigint) as count from sessions where ${isLiveOfUser}`,
    userId,
    nowMs,
  )
  return rows[0]?.count ?? 0
}

/** Ends the sessions of a user's command-line clients. Returns each session to exactly one of many callers. */
export function endSessionsOf(tx: Tx, userId: string, nowMs: number): Promise<EndedSession[]> {
  return tx.all(
    `update sessions set revoked_at_ms = $2, revoked_because = 'new password' where ${isLiveOfUser} returning id, org_id`,
    userId,
    nowMs,
  )
}

/** Ends the command-line sessions of an organization, but for those of some users. */
export async function endPersonSessions(
  tx: Tx,
  orgId: string,
  exceptUserIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const excepted = exceptUserIds.map((_, index) => ` and user_id <> $${index + 3}`).join('')
  await tx.all(
    `update sessions set revoked_at_ms = $2, revoked_because = 'sign-in rules'
     where org_id = $1 and revoked_at_ms is null${excepted}
       and exists (select 1 from refresh_tokens t where t.session_id = sessions.id)`,
    orgId,
    nowMs,
    ...exceptUserIds,
  )
}

/** Ends all sessions of an organization, those of command-line clients and service tokens. */
export async function endSessionsOfOrganization(tx: Tx, orgId: string, nowMs: number): Promise<void> {
  await tx.all(
    `update sessions set revoked_at_ms = $2, revoked_because = 'deleted' where org_id = $1 and revoked_at_ms is null`,
    orgId,
    nowMs,
  )
}

/** Ends the sessions of all command-line clients, exchanged tokens and pending logins. Service tokens and client keys stay valid. */
export async function endEverySession(tx: Tx, nowMs: number): Promise<number> {
  await tx.all('delete from device_codes')
  const ended = await tx.all(
    `update sessions set revoked_at_ms = $1, revoked_because = 'restored'
     where revoked_at_ms is null and not exists (select 1 from service_tokens t where t.session_id = sessions.id and t.trust_id is null)
       and not exists (select 1 from client_keys k where k.session_id = sessions.id)
     returning id`,
    nowMs,
  )
  return ended.length
}

/** Records when the session was last used and when its user was last confirmed as a member. Neither time goes back. */
export async function touchSession(
  tx: Tx,
  sessionId: string,
  lastUsedAtMs: number,
  memberSeenAtMs: number,
): Promise<void> {
  await tx.all(
    `update sessions set
       last_used_at_ms = case when last_used_at_ms > $2 then last_used_at_ms else $2 end,
       member_seen_at_ms = case when member_seen_at_ms > $3 then member_seen_at_ms else $3 end
     where id = $1`,
    sessionId,
    lastUsedAtMs,
    memberSeenAtMs,
  )
}

/** Deletes some tokens that expired before a time. Returns whether there may be more. */
export async function deleteTokensBefore(tx: Tx, beforeMs: number): Promise<boolean> {
  const [keys, time] = [{ hash: 'text' }, 'expires_at_ms'] as const
  const hasMore = await deleteSomeBefore(tx, { table: 'access_tokens', keys, time }, beforeMs)
  return (await deleteSomeBefore(tx, { table: 'refresh_tokens', keys, time }, beforeMs)) || hasMore
}

/** The place of a session among all in the order of their creation. */
export interface SessionPosition {
  readonly id: string
  readonly created_at_ms: number
}

/**
 * Looks at the next `maxPicked` sessions that were created before a time. Deletes those that no token and no device code has left, and
 * client keys that were revoked before it. Returns the last session; undefined if no more follow.
 */
export async function deleteEndedSessions(
  tx: Tx,
  beforeMs: number,
  after: SessionPosition | undefined,
): Promise<SessionPosition | undefined> {
  const page = await tx.all<SessionPosition & { readonly is_key: number; readonly is_ended: number }>(
    `select s.id, s.created_at_ms,
       case when s.revoked_at_ms < $1 and exists (select 1 from client_keys k where k.session_id = s.id) then 1 else 0 end as is_key,
       case when exists (select 1 from access_tokens t where t.session_id = s.id)
         or exists (select 1 from refresh_tokens t where t.session_id = s.id)
         or exists (select 1 from device_codes d where d.session_id = s.id) then 0 else 1 end as is_ended
     from sessions s where s.created_at_ms < $1 and (s.created_at_ms, s.id) > ($2, $3)
     order by s.created_at_ms, s.id limit ${maxPicked}`,
    beforeMs,
    after?.created_at_ms ?? 0,
    after?.id ?? '',
  )
  const ids = page.flatMap(({ id, is_key: isKey, is_ended: isEnded }) => (isKey || isEnded ? [[id]] : []))
  if (ids.length > 0) {
    const { text, params } = pickedRows({ id: 'text' }, ids)
    // A client key keeps its access token until now.
    for (const table of ['access_tokens', 'client_keys', 'service_tokens'])
      await tx.all(`${text} delete from ${table} where session_id in (select id from picked)`, ...params)
    await tx.all(
      `${text} delete from sessions where id in (select id from picked)
         and not exists (select 1 from device_codes d where d.session_id = sessions.id)`,
      ...params,
    )
  }
  return page.length < maxPicked ? undefined : page.at(-1)
}

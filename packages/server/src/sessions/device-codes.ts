/** The state machine of device codes: pending → approved → exchanged, or denied, or expired. */
import { limits, userCodeAlphabet, userCodeFormat } from '@rollkey/contract'
import { sessionActorOf, type Actor, type Member } from '../storage/actor.ts'
import { countText } from '../base/count-text.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { newCode, newId, newToken } from '../base/random.ts'
import { Coalescer } from '../concurrency/coalescer.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/device-codes.ts'
import { lockOrganization, requireOrganization } from '../storage/organizations.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { PendingLogins } from './pending-logins.ts'
import { hashOfToken, openSession, type TokenPair } from './tokens.ts'

const userCodeLength = 8

type CodeRefusal = 'not found' | 'expired' | { readonly lockedUntilMs: number }

export class DeviceCodes {
  readonly #sql: Sql
  readonly #keyring: Keyring
  readonly #clock: Clock
  readonly #pending: PendingLogins
  /** Anyone can request many codes, so inserts that arrive together share one transaction, and one disk sync. */
  readonly #inserts: Coalescer<store.NewDeviceCode, boolean>

  /** `maxPending` is the maximum number of logins from one IP address that may await approval. */
  constructor(parts: { sql: Sql; keyring: Keyring; clock: Clock; maxPending: number }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#clock = parts.clock
    this.#pending = new PendingLogins(parts.maxPending)
    this.#inserts = new Coalescer((rows) =>
      this.#sql.tx(async (tx) => {
        const inserted: boolean[] = []
        for (const row of rows) inserted.push(await store.insertDeviceCode(tx, row))
        return inserted
      }),
    )
  }

  /** Starts a login of a client from the IP address. Throws RATE_LIMITED. */
  async start(clientName: string | undefined, address: string): Promise<{ deviceCode: string; userCode: string }> {
    const nowMs = this.#clock.now()
    const id = newId('dev')
    const expiresAtMs = nowMs + limits.deviceCodeLifetimeSec * 1_000
    this.#pending.add(id, { address, expiresAtMs }, nowMs)
    try {
      return await this.#insert({ id, clientName: clientName ?? null, nowMs, expiresAtMs })
    } catch (error) {
      this.#pending.end(id)
      throw error
    }
  }

  async #insert(
    row: Omit<store.NewDeviceCode, 'deviceCodeHash' | 'userCodeHash'>,
  ): Promise<{ deviceCode: string; userCode: string }> {
    for (;;) {
      const deviceCode = newToken('svc_dc_')
      const userCode = newCode(userCodeAlphabet, userCodeLength)
      const hashes = { deviceCodeHash: hashOfToken(deviceCode), userCodeHash: this.#keyring.hashOfUserCode(userCode) }
      if (await this.#inserts.add({ ...row, ...hashes })) return { deviceCode, userCode }
    }
  }

  /** Returns what a person should see before deciding. Throws ApiError. */
  show(userCode: string, by: Member): Promise<store.PendingCodeRow> {
    return this.#withPendingCode(userCode, by, (tx, hash, nowMs) => store.pendingDeviceCode(tx, hash, nowMs))
  }

  /** Binds the pending code to the user and the organization. Exactly one caller succeeds. Throws ApiError. */
  async approve(userCode: string, actor: Actor): Promise<void> {
    const by = approverOf(actor)
    const { id } = await this.#withPendingCode(userCode, by, async (tx, hash, nowMs) => {
      await requireOrganization(tx, by.orgId)
      const row = await store.approveDeviceCode(tx, hash, by, nowMs)
      if (row) await appendAudit(tx, actor, { action: 'device.approve', nowMs, facts: { loginId: row.id } })
      return row
    })
    this.#pending.end(id)
  }

  /** Denies the pending code. Its client receives the denial with its next poll. Throws ApiError. */
  async deny(userCode: string, actor: Actor): Promise<void> {
    const { id } = await this.#withPendingCode(userCode, approverOf(actor), async (tx, hash, nowMs) => {
      const row = await store.denyDeviceCode(tx, hash, nowMs)
      if (row) await appendAudit(tx, actor, { action: 'device.deny', nowMs, facts: { loginId: row.id } })
      return row
    })
    this.#pending.end(id)
  }

  /** Returns the result of `act` on the pending code. Counts the wrong codes of each user, for all actions together. */
  async #withPendingCode<Row extends object>(
    userCode: string,
    { userId }: Member,
    act: (tx: Tx, userCodeHash: string, nowMs: number) => Promise<Row | undefined>,
  ): Promise<Row> {
    if (!userCodeFormat.test(userCode)) throw new ApiError('USER_CODE_INVALID')
    const hash = this.#keyring.hashOfUserCode(userCode)
    const outcome = await this.#sql.tx(async (tx): Promise<{ row: Row } | { refusal: CodeRefusal }> => {
      const nowMs = this.#clock.now()
      const wrongTimes = await recentWrongTimes(tx, userId, nowMs)
      const [oldest] = wrongTimes
      if (oldest !== undefined && wrongTimes.length >= limits.wrongUserCodes) {
        return { refusal: { lockedUntilMs: oldest + limits.wrongUserCodesWindowMs } }
      }
      const row = await act(tx, hash, nowMs)
      if (row) return { row }
      if (await hasExpired(tx, hash, nowMs)) return { refusal: 'expired' }
      await store.saveWrongUserCodes(tx, userId, [...wrongTimes, nowMs])
      return { refusal: 'not found' }
    })
    if ('row' in outcome) return outcome.row
    throw this.#errorOf(outcome.refusal)
  }

  #errorOf(refusal: CodeRefusal): ApiError {
    if (refusal === 'not found')
      return new ApiError(
        'DEVICE_CODE_NOT_FOUND',
        'No login is waiting for this code: check the code, or start the login again.',
      )
    if (refusal === 'expired') return new ApiError('DEVICE_CODE_EXPIRED')
    const seconds = Math.ceil((refusal.lockedUntilMs - this.#clock.now()) / 1_000)
    return new ApiError('RATE_LIMITED', `Too many wrong codes: try again in ${countText(seconds, 'second')}.`, {
      'retry-after': String(seconds),
    })
  }

  /** Returns the tokens to the first poll after the approval, or undefined while the code is pending. Throws ApiError. */
  async poll(deviceCode: string, requestId: string): Promise<TokenPair | undefined> {
    const hash = hashOfToken(deviceCode)
    const row = await store.deviceCodeByHash(this.#sql, hash)
    if (!row || row.status === 'exchanged') throw new ApiError('DEVICE_CODE_NOT_FOUND')
    if (row.status === 'denied')
      throw new ApiError('DEVICE_CODE_EXPIRED', 'The login was denied in the browser: start it again.')
    if (row.expires_at_ms <= this.#clock.now()) throw new ApiError('DEVICE_CODE_EXPIRED')
    if (row.status === 'pending') return undefined
    // Another node may have approved it.
    this.#pending.end(row.id)
    const pair = await this.#sql.tx(async (tx) => {
      // The same order as a deletion of the organization, which denies its codes, prevents deadlocks.
      if (!(await lockOrganization(tx, row.org_id ?? ''))) return undefined
      return this.#exchange(tx, hash, requestId)
    })
    if (!pair) throw new ApiError('DEVICE_CODE_NOT_FOUND')
    return pair
  }

  /** Exchanges the code for a session in one transaction. After a crash, either the code is valid or the session exists. */
  async #exchange(tx: Tx, deviceCodeHash: string, requestId: string): Promise<TokenPair | undefined> {
    const nowMs = this.#clock.now()
    const approved = await store.exchangeDeviceCode(tx, deviceCodeHash, nowMs)
    if (!approved) return undefined
    const member = { orgId: approved.org_id, userId: approved.approved_by }
    const { client_name: clientName, approved_at_ms: memberSeenAtMs } = approved
    const { sessionId, pair } = await openSession(tx, { ...member, clientName, nowMs, memberSeenAtMs })
    await store.linkSession(tx, approved.id, sessionId)
    const actor = sessionActorOf(member, clientName ?? undefined, requestId)
    await appendAudit(tx, actor, { action: 'device.exchange', nowMs, facts: { sessionId } })
    return pair
  }
}

function approverOf({ orgId, id: userId }: Actor): Member {
  return { orgId, userId }
}

/** Returns when the user recently sent wrong codes, oldest first. Locks the user's row until the transaction ends. */
async function recentWrongTimes(tx: Tx, userId: string, nowMs: number): Promise<number[]> {
  const times = await store.lockWrongUserCodes(tx, userId, nowMs)
  return times.filter((time) => time > nowMs - limits.wrongUserCodesWindowMs)
}

async function hasExpired(tx: Tx, userCodeHash: string, nowMs: number): Promise<boolean> {
  const rows = await store.deviceCodesByUserCode(tx, userCodeHash)
  return rows.some(({ status, expires_at_ms }) => ['pending', 'approved'].includes(status) && expires_at_ms <= nowMs)
}

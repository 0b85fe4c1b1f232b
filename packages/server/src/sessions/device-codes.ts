/** The device-code state machine (specification, "Device code"): pending → approved → exchanged, or expired. */
import { limits, userCodeAlphabet } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { newCode, newId, newToken } from '../base/random.ts'
import type { Keyring } from '../crypto/keyring.ts'
import * as store from '../storage/device-codes.ts'
import { insertSession } from '../storage/sessions.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { hashOfToken, issueTokenPair, type TokenPair } from './tokens.ts'

const userCodeLength = 8

type Approval = 'approved' | 'not found' | 'expired' | { readonly lockedUntilMs: number }

export class DeviceCodes {
  readonly #sql: Sql
  readonly #keyring: Keyring
  readonly #clock: Clock

  constructor(parts: { sql: Sql; keyring: Keyring; clock: Clock }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#clock = parts.clock
  }

  async start(clientName: string | undefined): Promise<{ deviceCode: string; userCode: string }> {
    const nowMs = this.#clock.now()
    for (;;) {
      const deviceCode = newToken('svc_dc_')
      const userCode = newCode(userCodeAlphabet, userCodeLength)
      const row = {
        id: newId('dev'),
        deviceCodeHash: hashOfToken(deviceCode),
        userCodeHash: this.#keyring.hashOfUserCode(userCode),
        clientName: clientName ?? null,
        nowMs,
        expiresAtMs: nowMs + limits.deviceCodeLifetimeSec * 1_000,
      }
      if (await this.#sql.tx((tx) => store.insertDeviceCode(tx, row))) return { deviceCode, userCode }
    }
  }

  /** Binds the pending code to the user and the organization: exactly one caller does. Throws Fault. */
  async approve(userCode: string, by: { userId: string; orgId: string }): Promise<void> {
    const approval = await this.#sql.tx((tx) => this.#tryApprove(tx, this.#keyring.hashOfUserCode(userCode), by))
    if (approval === 'not found') throw new Fault('DEVICE_CODE_NOT_FOUND', 'No login is waiting for this code.')
    if (approval === 'expired') throw new Fault('DEVICE_CODE_EXPIRED')
    if (approval !== 'approved') {
      const seconds = Math.ceil((approval.lockedUntilMs - this.#clock.now()) / 1_000)
      throw new Fault('RATE_LIMITED', `Too many wrong codes; try again in ${seconds} seconds.`, {
        'retry-after': String(seconds),
      })
    }
  }

  async #tryApprove(tx: Tx, userCodeHash: string, by: { userId: string; orgId: string }): Promise<Approval> {
    const nowMs = this.#clock.now()
    const wrongTimes = (await store.lockWrongUserCodes(tx, by.userId, nowMs)).filter(
      (time) => time > nowMs - limits.wrongUserCodesWindowMs,
    )
    const [oldest] = wrongTimes
    if (oldest !== undefined && wrongTimes.length >= limits.wrongUserCodes) {
      return { lockedUntilMs: oldest + limits.wrongUserCodesWindowMs }
    }
    if (await store.approveDeviceCode(tx, userCodeHash, by, nowMs)) return 'approved'
    const rows = await store.deviceCodesByUserCode(tx, userCodeHash)
    if (rows.some(({ status, expires_at_ms }) => status !== 'exchanged' && expires_at_ms <= nowMs)) return 'expired'
    await store.saveWrongUserCodes(tx, by.userId, [...wrongTimes, nowMs])
    return 'not found'
  }

  /** The tokens for the first poll after the approval, undefined while it is pending. Throws Fault. */
  async poll(deviceCode: string): Promise<TokenPair | undefined> {
    const hash = hashOfToken(deviceCode)
    const row = await store.deviceCodeByHash(this.#sql, hash)
    if (!row || row.status === 'exchanged') throw new Fault('DEVICE_CODE_NOT_FOUND')
    if (row.expires_at_ms <= this.#clock.now()) throw new Fault('DEVICE_CODE_EXPIRED')
    if (row.status === 'pending') return undefined
    const pair = await this.#sql.tx((tx) => this.#exchange(tx, hash))
    if (!pair) throw new Fault('DEVICE_CODE_NOT_FOUND')
    return pair
  }

  /** Code, session and tokens move in one transaction: a crash leaves the code redeemable or the session there. */
  async #exchange(tx: Tx, deviceCodeHash: string): Promise<TokenPair | undefined> {
    const nowMs = this.#clock.now()
    const approved = await store.exchangeDeviceCode(tx, deviceCodeHash, nowMs)
    if (!approved) return undefined
    const sessionId = newId('ses')
    await insertSession(tx, {
      id: sessionId,
      orgId: approved.org_id,
      userId: approved.approved_by,
      clientName: approved.client_name,
      nowMs,
      memberSeenAtMs: approved.approved_at_ms,
    })
    await store.linkSession(tx, approved.id, sessionId)
    return issueTokenPair(tx, sessionId, nowMs)
  }
}
